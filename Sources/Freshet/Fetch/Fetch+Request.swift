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
  ///   - request: The request.
  ///   - partition: The name that separates stored responses for the same URL, such as the name of the user
  ///     who is signed in; `""` by default.
  /// - Returns: A chain of one step, without stages.
  public static func request(
    _ request: Request,
    partition: String = ""
  ) -> FetchChain {
    FetchChain(FetchContext(request: request, partition: partition), StageList())
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
  ///   - request: The request.
  ///   - transport: The transport that the stages send over.
  ///   - partition: The name that separates stored responses for the same URL; `""` by default.
  /// - Returns: A chain of one step, without stages.
  public static func request(
    _ request: Request,
    over transport: some Transport,
    partition: String = ""
  ) -> FetchChain {
    FetchChain(
      FetchContext(request: request, partition: partition),
      StageList(over: transport)
    )
  }
}
