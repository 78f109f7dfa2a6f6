extension ReceivingOptions {
  /// Returns the folder in which the partial body of a request may be stored.
  func partials(for request: Request) -> PartialFolder? {
    Resumption.asksForWhole(request) ? spool.partials : nil
  }

  /// Returns the question for a ``PartReceiver`` and its parts, or `nil` if a ``ResponseReceiver`` is used.
  ///
  /// The whole is put together of parts that ranges have left, unless the beginning of a download waits.
  func parts(for context: FetchContext) -> (PartQuestion, PartShelf)? {
    let spool = spool
    guard let shelf = spool.parts else { return nil }
    if context.request.headers.contains(.range) {
      return PartQuestion(context.request).map { ($0, shelf) }
    }
    guard usesStoredParts, let question = PartQuestion(whole: context.request),
      shelf.find(context.key, for: context.headers) != nil,
      spool.partials?.hasRecord(PartialFolder.name(context.key)) != true
    else { return nil }
    return (question, shelf)
  }

  /// The request that would be sent first: for what is missing only, if earlier fetches have left something.
  ///
  /// - Parameters:
  ///   - request: The request for the whole.
  ///   - context: The context of its fetch.
  ///   - usesParts: A Boolean value that indicates whether its stage adds to the parts that are stored.
  /// - Returns: The request, and the byte from which on it asks for the rest; `nil` for the whole, and for a gap.
  nonisolated(nonsending) func planned(
    _ request: Request,
    _ context: FetchContext,
    usesParts: Bool
  ) async -> (request: Request, position: Int64?) {
    if usesParts, let (question, shelf) = parts(for: context) {
      let part = usesStoredParts ? shelf.find(context.key, for: context.headers) : nil
      return plan(request, question, part)
    }
    guard let folder = partials(for: context.request),
      let waiting = await folder.waiting(context.storageKey, for: context.headers),
      let resumption = Resumption(context.request, waiting)
    else { return (request, nil) }
    return (resumption.request(request), resumption.position)
  }

  private func plan(
    _ request: Request,
    _ question: PartQuestion,
    _ part: PartFile?
  ) -> (request: Request, position: Int64?) {
    guard let part, question.accepts(part.validator),
      let wanted = question.range.positions(in: part.total)
    else { return (request, nil) }
    guard let gap = part.gap(from: wanted.lowerBound, to: wanted.upperBound) else {
      return (question.validation(of: part, request), nil)
    }
    let isRest = gap.lowerBound > wanted.lowerBound && gap.upperBound == wanted.upperBound
    return (question.request(for: gap, of: wanted, request), isRest ? gap.lowerBound : nil)
  }
}

extension Fetch {
  /// The context and the decisions of a step for which a request may be sent.
  var asking: (context: FetchContext, explanation: Explanation)? {
    switch self {
    case .wanted(let wanted): (wanted.context, wanted.explanation)
    case .expired(let expired): (expired.context, expired.explanation)
    case .found, .progress, .downloaded, .resource: nil
    }
  }
}
