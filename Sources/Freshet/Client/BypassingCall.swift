import FreshetEssentials

/// A request over a transport, with its response collected.
struct BypassingCall: AsyncSequence, Sendable {
  let request: Request
  let transport: any Transport
  let limit: Int
  /// A closure that makes the writer of the response to a `POST`; `nil` for any other request.
  var keeper: (@Sendable () -> PostKeeper)?
  /// The store for what is decoded of the response.
  var models: (any ModelSaving)?

  func makeAsyncIterator() -> Iterator {
    var sent = request
    sent.reading = .collected
    let transfer = transport.send(sent).makeAsyncIterator()
    return Iterator(
      request: request,
      transfer: transfer,
      limit: limit,
      keeper: keeper?(),
      models: models
    )
  }

  /// Waits for the response as a whole, whose progress nobody reads.
  ///
  /// - Throws: The failure of the call; ``FreshetError/noValue`` if it ends without a response.
  nonisolated(nonsending) func response() async throws(FreshetError) -> Response<Data> {
    var iterator = makeAsyncIterator()
    while let event = try await iterator.transfer?.next(isolation: #isolation) {
      if case .finished(let metrics) = event { try await iterator.finish(metrics) }
      if case .body(let chunk) = event {
        try iterator.append(chunk)
      } else if case .value(let response) = try iterator.receive(event) {
        return response
      }
    }
    throw .noValue
  }

  struct Iterator: AsyncIteratorProtocol {
    let request: Request
    /// The transfer; it is released at the end, and its connection with it.
    var transfer: Transfer.Iterator?
    let limit: Int
    var head: ResponseHead?
    var body = Data()
    var explanation = Explanation()
    var keeper: PostKeeper?
    let models: (any ModelSaving)?

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      do {
        while let event = try await transfer?.next(isolation: actor) {
          if case .finished(let metrics) = event { try await finish(metrics) }
          if let event = try receive(event) { return event }
        }
      } catch {
        (transfer, keeper) = (nil, nil)
        throw error
      }
      transfer = nil
      return nil
    }
  }
}

@available(*, unavailable)
extension BypassingCall.Iterator: Sendable {}

extension BypassingCall.Iterator {
  /// Receives an event of the transfer, and returns that of the call, if any.
  ///
  /// Not inlined, because its locals would be in the frame of each call that waits.
  @inline(never)
  fileprivate mutating func receive(
    _ event: TransferEvent
  ) throws(FreshetError) -> Event<Response<Data>>? {
    for decision in event.decisions { explanation.add(decision) }
    switch event {
    case .sent(let progress):
      return .progress(progress)
    case .head(let head):
      self.head = head
      keeper?.note(head, of: request)
    case .body(let chunk):
      try append(chunk)
      return .progress(TransferProgress(completed: Int64(body.count), total: head?.decodedLength))
    case .finished:
      return head.map { .value(response($0)) }
    case .redirected, .retrying, .waitingForConnectivity, .interim:
      break
    }
    return nil
  }

  /// Checks and stores the response before it is delivered.
  fileprivate mutating func finish(_ metrics: TransferMetrics) async throws(FreshetError) {
    try await checkDigests()
    guard let keeper, let head else { return }
    for decision in await keeper.keep(head, body, of: request, metrics) {
      explanation.add(decision)
    }
  }

  /// Checks the digests that the server has sent for the content (RFC 9530).
  private func checkDigests() async throws(FreshetError) {
    guard let head else { return }
    let digests = DigestFields(content: head, of: request)
    guard !digests.expectations.isEmpty, let mismatch = await digests.mismatch(in: body) else {
      return
    }
    throw .corrupted(mismatch, at: head.url)
  }

  private func response(_ head: ResponseHead) -> Response<Data> {
    var response = Response(head: head, value: body)
    response.record.call = CallRecord(request: request, explanation: explanation, models: models)
    return response
  }

  fileprivate mutating func append(_ chunk: Data) throws(FreshetError) {
    guard body.count + chunk.count <= limit else {
      let url = head.map { Redaction.shown($0.url) } ?? ""
      throw .limitExceeded(.bodyBytes(Int64(limit)), url: url)
    }
    if body.isEmpty {
      body = chunk
    } else {
      body.append(chunk)
    }
  }
}

extension BypassingCall: PipelineDescribable {
  var words: PipelineDescription {
    let limit = PipelineText.unless(64 << 20, limit, "limit")
    let over = "over: \(PipelineText.transport(transport))"
    return PipelineDescription("\(request)", ".send" + PipelineText.parameters(over, limit))
  }
}
