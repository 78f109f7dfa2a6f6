extension Fetch {
  /// The reply of a stage to a step that it handles, see ``FetchStage``.
  ///
  /// The steps of a reply are passed to the following stages.
  public struct Reply {
    enum Content {
      case pass
      case step(Fetch)
      indirect case steps(Fetch, then: Fetch)
      case source(any FetchSource)
      /// The results of the following stages, which ran in another task.
      case results(any FetchSource)
      /// The step is unchanged, and the following stages run for all subscribers of a shared fetch.
      case lead(SharedFetchLead)
      case nothing
      case restart
    }

    let content: Content

    /// Passes the step unchanged.
    public static var pass: Reply { Reply(content: .pass) }
    /// Drops the step; the run continues with the next one.
    public static var nothing: Reply { Reply(content: .nothing) }
    /// Restarts the chain at its first stage, for example after a write that the lookups missed.
    ///
    /// Stages that run elsewhere, such as those behind ``Coalesce``, restart at the first of them. A run
    /// restarts at most three times; after that, the step passes unchanged.
    public static var restart: Reply { Reply(content: .restart) }

    /// Replaces the step with another one.
    public static func step(_ step: consuming Fetch) -> Reply {
      Reply(content: .step(step))
    }

    /// Replaces the step with two steps; the second is passed on after the first has been handled.
    public static func steps(_ first: Fetch, then second: Fetch) -> Reply {
      Reply(content: .steps(first, then: second))
    }

    /// Replaces the step with the steps of a source.
    public static func source(_ source: any FetchSource) -> Reply {
      Reply(content: .source(source))
    }

    static func lead(_ lead: SharedFetchLead) -> Reply {
      Reply(content: .lead(lead))
    }

    static func results(_ source: any FetchSource) -> Reply {
      Reply(content: .results(source))
    }
  }
}
