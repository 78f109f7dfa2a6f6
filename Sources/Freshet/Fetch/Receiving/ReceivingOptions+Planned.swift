extension ReceivingOptions {
  /// Where the beginning of a request's body may wait.
  func partials(for request: Request) -> PartialFolder? {
    Resumption.asksForWhole(request) ? spool.partials : nil
  }

  /// The request that a ``ResponseReceiver`` would send first: for the rest only, if an earlier fetch has
  /// left a beginning.
  ///
  /// - Returns: The request, and the byte from which on it asks; `nil` for the whole.
  nonisolated(nonsending) func planned(
    _ request: Request,
    _ context: FetchContext
  ) async -> (request: Request, position: Int64?) {
    guard let folder = partials(for: context.request),
      let waiting = await folder.waiting(context.storageKey, for: context.headers),
      let resumption = Resumption(
        context.request,
        waiting.head,
        receivedAt: waiting.record.received,
        length: waiting.length
      )
    else { return (request, nil) }
    return (resumption.request(request), resumption.position)
  }
}

/// A stage whose request depends on the beginning of a body that waits in a store.
protocol ResumingFetchStage: FetchStage {
  var options: ReceivingOptions { get }
  /// Whether the stage would receive a body by its request for a step.
  func receives(_ step: Fetch) -> Bool
}

extension Download: ResumingFetchStage {
  func receives(_ step: Fetch) -> Bool { true }
}

extension Revalidate: ResumingFetchStage {
  func receives(_ step: Fetch) -> Bool { revalidation == .conditional }
}

extension Fetch {
  /// The context of a step that may be sent for.
  var sendingContext: FetchContext? {
    switch self {
    case .wanted(let wanted): wanted.context
    case .expired(let expired): expired.context
    case .found, .progress, .downloaded, .resource: nil
    }
  }
}
