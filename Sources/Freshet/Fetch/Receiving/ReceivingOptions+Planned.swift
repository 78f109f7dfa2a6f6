extension ReceivingOptions {
  /// Returns the folder in which the partial body of a request may be stored.
  func partials(for request: Request) -> PartialFolder? {
    Resumption.asksForWhole(request) ? spool.partials : nil
  }

  /// Determines the request that a ``ResponseReceiver`` would send first, which only asks for the rest
  /// if an earlier fetch has stored a partial body.
  ///
  /// - Returns: The request, and the offset from which it asks; `nil` for the whole body.
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

/// A stage whose request depends on a stored partial body.
protocol ResumingFetchStage: FetchStage {
  var options: ReceivingOptions { get }
  /// Returns whether the stage would receive a body from its request for a step.
  func receives(_ step: Fetch) -> Bool
}

extension Download: ResumingFetchStage {
  func receives(_ step: Fetch) -> Bool { true }
}

extension Revalidate: ResumingFetchStage {
  func receives(_ step: Fetch) -> Bool { revalidation == .conditional }
}

extension Fetch {
  /// The context of a step for which a request may be sent.
  var sendingContext: FetchContext? {
    switch self {
    case .wanted(let wanted): wanted.context
    case .expired(let expired): expired.context
    case .found, .progress, .downloaded, .resource: nil
    }
  }
}
