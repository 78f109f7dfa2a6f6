extension Fetch {
  /// Begins the life of a resource: one step, `wanted`.
  ///
  /// It is cold: each iteration begins anew. It fails with ``FreshetError/cancelled`` when its task
  /// has been cancelled before the first step.
  ///
  /// ```swift
  /// let logo = Fetch.request(try Request("https://example.org/logo.png"))
  ///   .lookup(in: memory)
  ///   .download(over: transport)
  ///   .persist(in: memory)
  ///   .settle()
  /// ```
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - partition: What separates stored responses for the same URL, such as the name of the user
  ///     who is signed in; `""` by default.
  /// - Returns: A sequence of one step.
  public static func request(
    _ request: Request,
    partition: String = ""
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    WantedSequence(request: request, partition: partition)
  }
}

// MARK: - Sequence

struct WantedSequence: AsyncSequence, Sendable {
  let context: FetchContext

  init(request: Request, partition: String) {
    context = FetchContext(request: request, partition: partition)
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(context: context)
  }
}

// MARK: - Iterator

extension WantedSequence {
  struct Iterator: AsyncIteratorProtocol {
    var context: FetchContext?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      guard let context = context.take() else { return nil }
      guard !Task.isCancelled else { throw .cancelled }
      return .wanted(Fetch.Wanted(context))
    }
  }
}

@available(*, unavailable)
extension WantedSequence.Iterator: Sendable {}
