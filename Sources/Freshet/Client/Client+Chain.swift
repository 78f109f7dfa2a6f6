extension Client {
  /// Returns the chain that ``resource(_:policy:)`` runs for a request: the client's stages in
  /// their order, with the client's stores, policy and transport.
  ///
  /// Its description lists its stages. It can be edited by the names of its stages; use
  /// ``Configuration/editChain`` for an edit of all of the client's fetches.
  ///
  /// ```swift
  /// print(client.chain(for: request))
  /// let audited = client.chain(for: request).inserting(AuditStage(), before: .download)
  /// let resource = try await audited.settle().value
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request; relative to ``Configuration/baseURL``.
  ///   - policy: The policy; the client's by default.
  /// - Returns: A cold sequence of steps.
  public func chain(for request: Request, policy: ResourcePolicy? = nil) -> FetchChain {
    chain(prepared: prepared(request), settings.stages.list(for: policy))
  }

  /// Returns the chain of a request in another partition than the client's.
  package func chain(for request: Request, partition: String) -> FetchChain {
    let context = FetchContext(request: prepared(request), partition: partition, added: [:])
    return FetchChain(.request(context), settings.stages.list(for: nil))
  }

  /// Returns the chain of a request that is ``prepared(_:isEndless:)``.
  func chain(prepared request: consuming Request, _ stages: StageList) -> FetchChain {
    let context = FetchContext(
      request: request,
      partition: settings.configuration.partition,
      added: [:],
      models: settings.configuration.models
    )
    return FetchChain(.request(context), stages)
  }

  /// Returns the parameters of a lookup in the stores at this moment: the key, and the request's
  /// header fields with those that the transport would add.
  ///
  /// Values that are stored elsewhere, such as decoded images, are found by the same two, so that
  /// no user sees the value of another one.
  package func question(for request: Request) -> (key: CacheKey, headers: HTTPHeaders) {
    let configuration = settings.configuration
    let context = FetchContext(request: prepared(request), partition: configuration.partition)
      .asking(configuration.askedTransport)
    return (context.key, context.headers)
  }
}
