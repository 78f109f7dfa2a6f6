extension Fetch {
  /// The reply of a stage to a step that it handles, see ``FetchStage``.
  ///
  /// What a reply delivers goes on to the stages that follow.
  public struct Reply {
    enum Content {
      case pass
      case step(Fetch)
      indirect case steps(Fetch, then: Fetch)
      case source(any FetchSource)
      /// The results of the stages that follow, which ran elsewhere.
      case results(any FetchSource)
      case nothing
      case restart
    }

    let content: Content

    /// The step itself, untouched.
    public static var pass: Reply { Reply(content: .pass) }
    /// Nothing: the step ends here, and the run asks for the next one.
    public static var nothing: Reply { Reply(content: .nothing) }
    /// The chain starts again with its first stage, as after a write that the lookups missed.
    ///
    /// A run restarts three times at most; then the step passes as it is.
    public static var restart: Reply { Reply(content: .restart) }

    /// Another step in place of the one that came.
    public static func step(_ step: consuming Fetch) -> Reply {
      Reply(content: .step(step))
    }

    /// Two steps, in this order; the second one is delivered when the first one has been dealt with.
    public static func steps(_ first: Fetch, then second: Fetch) -> Reply {
      Reply(content: .steps(first, then: second))
    }

    /// The steps of a source, pulled one after the other.
    public static func source(_ source: any FetchSource) -> Reply {
      Reply(content: .source(source))
    }

    static func results(_ source: any FetchSource) -> Reply {
      Reply(content: .results(source))
    }
  }
}
