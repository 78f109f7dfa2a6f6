import FreshetEssentials

/// Receives one response for a fetch: its steps are progress and one result.
///
/// The body is written to the spool chunk by chunk. A broken transfer is resumed if there is a strong
/// validator. If it fails nevertheless, the stale copy is the result if it may be served. Used by one
/// task at a time.
final class ResponseReceiver: FetchSource {
  let context: FetchContext
  /// The copy to fall back on.
  let fallback: Fetch.Expired?
  /// A Boolean value that indicates whether the request carries the validators of that copy.
  let isValidating: Bool
  let options: ReceivingOptions
  let transport: any Transport
  /// The request, without a range.
  let request: Request
  let call: FetchCall
  /// The transfer in progress.
  var transfer: Transfer.Iterator?
  var explanation: Explanation
  /// The instant of the first request, in the order of events.
  private(set) var askedAt = EventInstant.now
  /// The instant up to which the content includes changes.
  var knownSince: EventInstant
  /// The number of removals from the store when the request was sent.
  private var epoch: Int?
  var requestTime: Date
  var responseTime: Date
  var answer = Answer.awaited
  /// The head of the content that is arriving.
  var contentHead: ResponseHead?
  /// The expected length of the body, according to that head.
  var total: Int64?
  /// The writer for the content, unless it arrives in one chunk.
  var writer: SpoolWriter?
  /// The content that has arrived in one chunk, as most small bodies do; it needs no spool.
  var piece: Data?
  var digests = DigestFields()
  /// The rest of a resumed body.
  var part: ArrivingPart?
  /// The bytes that have arrived, for progressive display.
  var arriving: ArrivingBody?
  /// The request's fields that selected the response.
  var chosen: HTTPHeaders
  /// A Boolean value that indicates whether the response may be for one user only.
  var isPersonal = false
  /// The fields among them that `Vary` names; before the response, those of the partial body to resume.
  var varying = VaryingFields.none
  var resumptions: Int
  /// The number of bytes that an earlier fetch had stored.
  var inherited: Int64 = 0
  /// The number of bytes that had arrived at the last resumption.
  var lastResumption: Int64 = 0

  enum Answer {
    case awaited
    case resuming(Resumption, SpoolWriter)
    case notModified(ResponseHead)
    case content
    case refused(RefusedResponse)
    case done
  }

  /// Creates a receiver for the resource itself.
  ///
  /// - Parameters:
  ///   - wanted: The step, with the copy to fall back on.
  ///   - conditional: The request that validates that copy, and receives the new body if it has changed; `nil`, the
  ///     default, for the step's own request.
  ///   - transport: The transport.
  ///   - options: The options.
  init(
    _ wanted: Fetch.Wanted,
    validatingBy conditional: Request? = nil,
    over transport: any Transport,
    _ options: ReceivingOptions
  ) {
    context = wanted.context
    call = wanted.call ?? FetchCall()
    fallback = wanted.fallback
    isValidating = conditional != nil
    self.options = options
    self.transport = transport
    request = conditional ?? wanted.request
    explanation = wanted.explanation
    chosen = context.headers
    resumptions = options.resumptions
    requestTime = options.now()
    responseTime = requestTime
    knownSince = askedAt
    epoch = options.spool.parts?.epoch
  }
}

// MARK: - Steps

extension ResponseReceiver {
  /// Waits for the next step; `nil` after the result.
  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    if case .done = answer { return nil }
    do throws(FreshetError) {
      if transfer == nil { try await begin() }
      while var transfer {
        do throws(FreshetError) {
          guard let event = try await transfer.next(isolation: #isolation) else { break }
          if let step = try receive(event) { return step }
        } catch {
          try resume(after: error)
        }
      }
    } catch {
      return try fallBack(insteadOf: error)
    }
    return try fallBack(insteadOf: .noResponse(to: context.request))
  }

  /// Ends the transfer, and returns the stale copy in place of the failure if it may be served.
  ///
  /// Not inlined, as ``receive(_:)``.
  @inline(never)
  private func fallBack(insteadOf error: FreshetError) throws(FreshetError) -> Fetch {
    end()
    transfer = nil
    return try StaleFallback.serve(
      fallback,
      insteadOf: error,
      explanation: explanation,
      now: options.now()
    )
  }

  /// Sends the request, which only asks for the rest if an earlier fetch has stored a partial body.
  private func begin() async throws(FreshetError) {
    if let folder = options.partials(for: context.request),
      let (partial, file) = await folder.resume(context.storageKey, for: context.headers),
      let resumption = Resumption(context.request, partial)
    {
      varying = partial.record.varyingFields
      inherited = partial.length
      resume(resumption, try SpoolWriter(options.spool, partial, in: file, now: options.now))
    } else {
      send(request)
    }
  }

  /// Continues with a transfer whose head was already read; the first request was sent at `askedAt`,
  /// after that number of removals from the store.
  func goOn(
    _ transfer: Transfer.Iterator,
    from head: ResponseHead,
    requestTime: Date,
    askedAt: EventInstant,
    since epoch: Int?
  ) throws(FreshetError) {
    self.transfer = transfer
    self.epoch = epoch
    self.requestTime = requestTime
    self.askedAt = askedAt
    knownSince = askedAt
    try begin(with: head)
  }

  func send(_ request: Request) {
    var request = call.timed(request)
    if !options.showsArrival { request.reading = .fetched }
    transfer = transport.send(request).makeAsyncIterator()
  }

  /// Adds a decision by assignment, which needs no exclusivity checks, unlike mutating in place.
  func note(_ decision: Decision) {
    explanation = explanation.adding(decision)
  }

  /// Receives an event, and returns the step that follows from it, if any.
  ///
  /// Not inlined, because its locals would be in the frame of each fetch that waits.
  @inline(never)
  private func receive(_ event: consuming TransferEvent) throws(FreshetError) -> Fetch? {
    for decision in event.decisions { note(decision) }
    switch consume event {
    case .redirected, .retrying, .waitingForConnectivity, .interim:
      return nil
    case .sent(let progress):
      return .progress(progress)
    case .head(let head):
      try begin(with: head)
      return beginning
    case .body(let chunk):
      return try append(chunk)
    case .finished(let metrics):
      return try finish(metrics)
    }
  }

  /// The progress of an earlier fetch, once it is certain that the rest arrives.
  private var beginning: Fetch? {
    guard inherited > 0, case .content = answer else { return nil }
    return .progress(progress)
  }

  func begin(with head: consuming ResponseHead) throws(FreshetError) {
    if case .resuming(let resumption, let writer) = answer {
      return try goOn(with: head, resumption, writer)
    }
    inherited = 0
    responseTime = options.now()
    // The response to a change includes its effects.
    if context.request.isUnsafe { knownSince = .now }
    chosen = context.headers(behind: head)
    isPersonal = context.isPersonal(head, over: transport)
    let head = head.withoutNotes()
    varying = VaryingFields(response: head.headers, request: chosen)
    if head.status == .notModified, isValidating {
      answer = .notModified(head)
    } else if head.status == .partialContent, !isAskedFor(head) {
      let reason = "it is a part that was not requested"
      throw .invalidResponse(reason, url: Redaction.shown(request.url))
    } else if head.status.isSuccess {
      digests = DigestFields(content: head, of: context.request)
      arriving = options.showsArrival ? ArrivingBody() : nil
      take(head)
      if request.method != .head {
        try options.contentTypes.refuseOthers(head, length: total)
        try request.refuseExcess(of: total)
        announce()
        if !comesInOnePiece { try spool() }
      }
    } else {
      answer = .refused(RefusedResponse(head, limit: options.errorBodyLimit))
    }
  }

  /// Returns whether the request asks for the part in a response (RFC 9110 section 15.3.7).
  private func isAskedFor(_ head: ResponseHead) -> Bool {
    guard let text = request.headers[.range] else { return false }
    // A server may answer several ranges, and other units, in any way.
    guard let range = ByteRange(text) else { return true }
    return head.headers[.contentRange].flatMap(ContentRange.init).map(range.includes) ?? false
  }

  /// Reports the length of a body that may be stored, before it arrives.
  private func announce() {
    guard let announced = options.announced, let total, let head = contentHead,
      !Self.mayNotRest(head, context.request)
    else { return }
    announced(total, request.url)
  }

  func take(_ head: consuming ResponseHead, _ writer: SpoolWriter? = nil) {
    total = head.decodedLength
    contentHead = head
    self.writer = writer
    piece = nil
    answer = .content
  }

  private func end() {
    answer = .done
    contentHead = nil
    writer = nil
    piece = nil
  }

  /// A Boolean value that indicates whether the content may arrive in one chunk, as small bodies nearly
  /// always do.
  private var comesInOnePiece: Bool {
    guard let total else { return false }
    return total <= Int64(options.spool.threshold) && !digests.needsSHA512
  }

  /// Returns the writer for the content, which contains the bytes received so far.
  @discardableResult
  func spool() throws(FreshetError) -> SpoolWriter {
    if let writer { return writer }
    let (head, request, isForFile) = (contentHead, context.request, options.isForFile)
    let writer = try SpoolWriter(
      options.spool,
      expectedLength: total,
      record: head.flatMap(record),
      since: epoch,
      isNameless: !isForFile && head.map { Self.mayNotRest($0, request) } ?? true,
      needsSHA256: options.needsDigest || digests.needsSHA256,
      needsSHA512: digests.needsSHA512,
      now: options.now
    )
    if let piece { try writer.append(piece) }
    piece = nil
    self.writer = writer
    return writer
  }

  /// The number of bytes of the content so far.
  var length: Int64 { writer?.length ?? Int64(piece?.count ?? 0) }

  private func append(_ chunk: Data) throws(FreshetError) -> Fetch? {
    switch answer {
    case .content:
      let chunk = part?.take(chunk) ?? chunk
      if writer == nil, piece == nil, Int64(chunk.count) == total {
        piece = chunk
      } else {
        try spool().append(chunk)
        // More than the rest may have no end.
        if let total, length > total { try checkLength() }
      }
      arriving?.append(chunk)
      return .progress(progress)
    case .refused(var refused):
      answer = .done
      refused.append(chunk)
      answer = .refused(refused)
      return nil
    case .awaited, .resuming, .notModified, .done:
      return nil
    }
  }

  private var progress: TransferProgress {
    var progress = TransferProgress(completed: length, total: total)
    if inherited > 0 { progress.inherited = min(inherited, length) }
    progress.body = arriving
    progress.isPersonal = isPersonal
    return progress
  }

  private func finish(_ metrics: TransferMetrics) throws(FreshetError) -> Fetch? {
    switch answer {
    case .content:
      try checkLength()
      let (body, digest) = try writer?.finish() ?? (ResourceBody(piece ?? Data()), nil)
      try checkDigests(body, digest, sha512: writer?.sha512Digest)
      guard let head = contentHead.take() else { return nil }
      end()
      let transfer = TransferRecord(metrics, isPersonal: isPersonal)
      return .downloaded(downloaded(head, body, digest, transfer))
    case .notModified(let head):
      answer = .done
      guard let validated = fallback else { return nil }
      guard Validation.accepts(head, for: validated.response),
        validated.response.fit(chosen) != .none
      else {
        return .wanted(
          validated.superseded(because: .mistaken(status: head.status), call: call)
        )
      }
      return .downloaded(confirmed(validated, by: head, metrics))
    case .refused(let refused):
      answer = .done
      return try downloaded(refused, TransferRecord(metrics, isPersonal: isPersonal))
    case .awaited, .resuming, .done:
      return nil
    }
  }
}

extension FreshetError {
  /// Returns the failure of a transfer that has ended without a head.
  static func noResponse(to request: Request) -> FreshetError {
    .invalidResponse("it ended without a response", url: Redaction.shown(request.url))
  }
}
