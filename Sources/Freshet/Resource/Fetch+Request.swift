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

  /// Begins the life of a resource, for a transport that adds header fields of its own.
  ///
  /// The transport is asked once for each iteration what it would add
  /// (``Transport/addedFields(for:)``); stored responses are chosen by that too. Without it, what was
  /// received for credentials that only the transport knows is neither stored nor found.
  ///
  /// ```swift
  /// let api = wire.authenticated(by: session)
  /// let profile = Fetch.request(try Request("https://example.org/me"), over: api)
  ///   .lookup(in: memory)
  ///   .download(over: api)
  ///   .persist(in: memory)
  ///   .settle()
  /// ```
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - transport: What the stages that follow send over.
  ///   - partition: What separates stored responses for the same URL; `""` by default.
  /// - Returns: A sequence of one step.
  public static func request(
    _ request: Request,
    over transport: some Transport,
    partition: String = ""
  ) -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    WantedSequence(request: request, partition: partition, transport: transport)
  }
}

// MARK: - Sequence

struct WantedSequence: AsyncSequence, Sendable {
  let context: FetchContext
  /// What is asked, at each iteration, which fields it would add.
  let transport: (any Transport)?

  init(request: Request, partition: String, transport: (any Transport)? = nil) {
    context = FetchContext(request: request, partition: partition)
    self.transport = transport
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(context: transport.map(context.asking) ?? context)
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

// MARK: - Description

extension WantedSequence: Worded, CustomStringConvertible {
  var words: PipelineWords { PipelineWords("\(context.request)") }
  var description: String { words.description }
}
