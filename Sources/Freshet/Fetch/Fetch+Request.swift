extension Fetch {
  /// Starts a chain with one step, `wanted`.
  ///
  /// The chain is cold: each iteration starts again. It fails with ``FreshetError/cancelled`` if its
  /// task was cancelled before the first step.
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
  ///   - partition: The name that separates stored responses for the same URL, such as a user ID; `""`
  ///     by default.
  /// - Returns: A chain of one step, without stages.
  public static func request(
    _ request: Request,
    partition: String = ""
  ) -> FetchChain {
    FetchChain(.request(FetchContext(request: request, partition: partition)), StageList())
  }

  /// Starts a chain for a transport that adds header fields of its own.
  ///
  /// Each iteration asks the transport once for the fields that it would add
  /// (``Transport/addedFields(for:)``), and uses them to select stored responses. Otherwise, responses
  /// for credentials that only the transport adds are neither stored nor found.
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
      .request(FetchContext(request: request, partition: partition)),
      StageList(over: transport)
    )
  }
}
