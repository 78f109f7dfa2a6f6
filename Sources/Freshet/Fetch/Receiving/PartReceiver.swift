import FreshetEssentials

/// Receives one range of bytes: the stored parts of it from the disk, and the rest from the network,
/// which is stored as it arrives (RFC 9110 section 14, RFC 9111 sections 3.3 and 3.4).
///
/// Ranges are requested without `If-Range`, so that the response of another version is its range and
/// not the whole body; the validator of each response identifies the version. A response that is not a
/// storable part is received by a ``ResponseReceiver``. Used by one task at a time.
final class PartReceiver: FetchSource {
  private let context: FetchContext
  private let question: PartQuestion
  private let fallback: Fetch.Expired?
  private let options: ReceivingOptions
  private let transport: any Transport
  private let shelf: PartShelf
  private let epoch: Int
  /// The instant of the first request, in the order of events.
  private let askedAt = EventInstant.now
  private let call: FetchCall
  private var explanation: Explanation
  private var phase = Phase.beginning

  private var part: PartFile?
  /// The positions of the range, once the length of the whole is known.
  private var positions: Range<Int64>?
  private var output: SpoolWriter?
  private var position: Int64 = 0
  /// The part of the range that is being requested.
  private var gap: Range<Int64> = 0..<0
  private var writer: PartWriter?
  private var arriving: ArrivingPart?
  private var requestTime: Date
  private var responseTime: Date
  private var transfer: TransferRecord?
  private var isPersonal = false
  private var received: Int64 = 0
  private var resumptions: Int
  private var restarts = 0
  /// A Boolean value that indicates whether stored parts are used, which is not the case after a
  /// contradictory response.
  private var usesParts = true
  /// A Boolean value that indicates whether the request asks if the stored bytes are current.
  private var isValidating = false
  /// A Boolean value that indicates whether the length of the whole was reported.
  private var isAnnounced = false

  private enum Phase {
    case beginning
    case assembling
    case receiving(Transfer.Iterator)
    case elsewhere(ResponseReceiver)
    case done
  }

  init(
    _ wanted: Fetch.Wanted,
    _ question: PartQuestion,
    over transport: any Transport,
    _ options: ReceivingOptions,
    _ shelf: PartShelf
  ) {
    context = wanted.context
    self.question = question
    fallback = wanted.fallback
    self.options = options
    self.transport = transport
    self.shelf = shelf
    epoch = shelf.epoch
    call = wanted.call ?? FetchCall()
    explanation = wanted.explanation
    requestTime = options.now()
    responseTime = requestTime
    resumptions = options.resumptions
  }

  nonisolated(nonsending) func next() async throws(FreshetError) -> Fetch? {
    do throws(FreshetError) {
      while true {
        switch phase {
        case .done: return nil
        case .elsewhere(let receiver): return try await receiver.next()
        case .beginning: try await begin()
        case .assembling: if let step = try await assemble() { return step }
        case .receiving(let transfer): if let step = try await receive(transfer) { return step }
        }
      }
    } catch {
      if case .elsewhere = phase { throw error }
      phase = .done
      // Stores the bytes received so far.
      writer = nil
      return try StaleFallback.serve(
        fallback,
        insteadOf: error,
        explanation: explanation,
        now: options.now()
      )
    }
  }
}

// MARK: - Steps

extension PartReceiver {
  /// Looks up the stored parts; if they cover the whole range, they are revalidated.
  private nonisolated(nonsending) func begin() async throws(FreshetError) {
    (positions, output, position, received) = (nil, nil, 0, 0)
    isValidating = false
    let looksUp = usesParts && options.usesStoredParts
    part = looksUp ? shelf.find(context.key, for: context.headers) : nil
    if let found = part,
      !question.accepts(found.validator)
        || options.contentTypes.refusal(of: found.head.headers) != nil
    {
      part = nil
    }
    guard let part, let wanted = question.range.positions(in: part.total) else {
      self.part = nil
      return try await ask(context.request, for: nil)
    }
    positions = wanted
    position = wanted.lowerBound
    guard part.covers(wanted) else {
      phase = .assembling
      return
    }
    explanation.add(.validating(.conditional))
    isValidating = true
    try await ask(question.validation(of: part, context.request), for: wanted)
  }

  /// Reads the stored bytes of the range, and requests the missing ones.
  private nonisolated(nonsending) func assemble() async throws(FreshetError) -> Fetch? {
    guard let positions, let part else {
      phase = .beginning
      return nil
    }
    while position < positions.upperBound {
      if Task.isCancelled { throw .cancelled }
      guard let data = part.read(at: position, to: positions.upperBound) else { break }
      try append(data)
      await Task.yield()
    }
    guard position < positions.upperBound else { return try finish(positions, part) }
    // Another fetch may have stored what was missing a moment ago: it is read then.
    guard let gap = part.gap(from: position, to: positions.upperBound), gap.lowerBound == position
    else { return nil }
    if gap != positions { explanation.add(.resuming(from: position)) }
    isValidating = false
    try await ask(question.request(for: gap, of: positions, context.request), for: gap)
    return nil
  }

  /// Sends a request for a part of the range, and examines the head of its response.
  private nonisolated(nonsending) func ask(
    _ request: Request,
    for gap: Range<Int64>?
  ) async throws(FreshetError) {
    let request = call.timed(request)
    requestTime = options.now()
    var transfer = transport.send(request).makeAsyncIterator()
    while let event = try await transfer.next(isolation: #isolation) {
      for decision in event.decisions { explanation.add(decision) }
      guard case .head(let head) = event else { continue }
      responseTime = options.now()
      return try await judge(head, of: gap, transfer)
    }
    throw .noResponse(to: request)
  }

  private nonisolated(nonsending) func judge(
    _ head: ResponseHead,
    of gap: Range<Int64>?,
    _ transfer: Transfer.Iterator
  ) async throws(FreshetError) {
    let isWhole = gap == nil || gap == positions
    if context.isPersonal(head, over: transport) { isPersonal = true }
    if head.status == .partialContent {
      try options.contentTypes.refuseOthers(head, length: nil)
    }
    if head.status == .notModified, isValidating, let part, confirms(head, part) {
      try refuseExcess(of: part)
      renew(part, head)
      // Its bytes can still be read (RFC 9111 section 5.2.2.5).
      if StoragePolicy.forbidsStoring(part.head) { shelf.remove(part) }
      explanation.add(.confirmed(status: head.status, .zero))
      phase = .receiving(transfer)
      return
    }
    // Nobody has asked for a part then.
    if question.asksForWhole, isWhole, head.status != .notModified {
      return try goOnElsewhere(head, transfer)
    }
    guard let arrival = arrival(head, of: gap) else {
      let isOfPart = [.partialContent, .rangeNotSatisfiable, .notModified].contains(head.status)
      if usesParts, isOfPart, !isWhole || head.status == .notModified || part != nil {
        // The response does not match the request: it is sent once more, without the stored parts.
        if let part { shelf.remove(part) }
        return restart(without: true, because: "the part contradicts the stored bytes")
      }
      // The transport does not decode responses to range requests.
      if question.asksForWhole, head.status.isSuccess, head.headers.hasContentCoding {
        return restart(without: true, because: "the response is encoded")
      }
      return try goOnElsewhere(head, transfer)
    }
    if let part, part.validator != arrival.validator || part.total != arrival.total {
      shelf.remove(part)
      self.part = nil
      guard isWhole, position == positions?.lowerBound ?? position else {
        return restart(without: false, because: "the part belongs to another version")
      }
      // The same range may begin elsewhere in a version of another length.
      let asked = question.range.positions(in: arrival.total)
      guard arrival.range.lowerBound == asked?.lowerBound else {
        return restart(without: true, because: "the part begins at another position")
      }
      explanation.add(.restarted(because: "the part belongs to another version"))
      positions = nil
    }
    if let part {
      renew(part, head)
    } else {
      let record = record(of: head, total: arrival.total)
      part = shelf.begin(record, arrival.validator, since: epoch)
    }
    guard let part else { return try goOnElsewhere(head, transfer) }
    try refuseExcess(of: part)
    announce(part.total)
    positions = positions ?? question.range.positions(in: part.total)
    position = arrival.range.lowerBound
    self.gap = arrival.range
    let isDigested = !DigestFields(part: head).expectations.isEmpty
    arriving = isDigested ? ArrivingPart(head, overlap: 0) : nil
    writer = PartWriter(part, on: shelf, from: arrival.range.lowerBound, isHeld: isDigested)
    phase = .receiving(transfer)
  }

  /// Refuses a whole that is longer than the request allows.
  private func refuseExcess(of part: PartFile) throws(FreshetError) {
    if question.asksForWhole { try context.request.refuseExcess(of: part.total) }
  }

  /// Reports the length of a whole that may be stored, before the rest of it arrives.
  private func announce(_ total: Int64) {
    guard question.asksForWhole, !isAnnounced else { return }
    isAnnounced = true
    options.announced?(total, context.request.url)
  }

  /// Receives the next chunk of the range.
  private nonisolated(nonsending) func receive(
    _ transfer: Transfer.Iterator
  ) async throws(FreshetError) -> Fetch? {
    var transfer = transfer
    do throws(FreshetError) {
      switch try await transfer.next(isolation: #isolation) {
      case .body(let data):
        guard writer != nil else { return nil }
        let room = gap.upperBound - position
        // More than the range may have no end.
        if room == 0 {
          try closeGap()
          return nil
        }
        let data = Int64(data.count) > room ? data.prefix(Int(room)) : data
        _ = arriving?.take(data)
        writer?.append(data)
        try append(data)
        received += Int64(data.count)
        var progress = TransferProgress(
          completed: position - (positions?.lowerBound ?? 0),
          total: positions?.length
        )
        // The rest was stored before.
        progress.inherited = max(0, progress.completed - received)
        progress.isPersonal = isPersonal
        return .progress(progress)
      case .finished(let metrics):
        self.transfer = TransferRecord(metrics, isPersonal: isPersonal)
        try closeGap()
      case nil: try closeGap()
      default: break
      }
    } catch {
      // The bytes received so far are recorded, and the rest is requested.
      writer = nil
      guard resumptions > 0, error.isBrokenTransfer, position > gap.lowerBound, arriving == nil
      else { throw error }
      resumptions -= 1
      phase = .assembling
    }
    return nil
  }

  private func closeGap() throws(FreshetError) {
    defer { (writer, arriving) = (nil, nil) }
    if writer != nil {
      if let mismatch = arriving?.mismatch() {
        throw .corrupted(mismatch, at: context.request.url)
      }
      guard position == gap.upperBound else {
        throw .connection(.truncated, url: Redaction.shown(context.request.url))
      }
      writer?.finish()
    }
    phase = .assembling
  }

  private func append(_ data: Data) throws(FreshetError) {
    if output == nil {
      output = try SpoolWriter(
        options.spool,
        expectedLength: positions?.length,
        needsSHA256: question.asksForWhole
      )
    }
    try output?.append(data)
    position += Int64(data.count)
  }

  private func finish(
    _ positions: Range<Int64>,
    _ part: PartFile
  ) throws(FreshetError) -> Fetch? {
    phase = .done
    guard let (body, digest) = try output?.finish() else { return nil }
    if question.asksForWhole { return .downloaded(try whole(part, body, digest)) }
    if received > 0 {
      if let transfer { explanation.add(.downloaded(bytes: received, transfer.metrics)) }
      explanation.add(.stored(.disk))
    }
    return .resource(
      Resource(
        context: context,
        response: part.response(context.key, body: body).under(part.head(of: positions)),
        source: received > 0 ? .network : .disk,
        freshness: received > 0 ? .fresh : .revalidated,
        isFinal: true,
        explanation: explanation,
        transfer: transfer
      )
    )
  }
}

// MARK: - Answers

extension PartReceiver {
  /// The whole that was put together.
  private func whole(
    _ part: PartFile,
    _ body: ResourceBody,
    _ digest: SHA256Checksum?
  ) throws(FreshetError) -> Fetch.Downloaded {
    let sha256: SHA256Checksum
    if let digest { sha256 = digest } else { sha256 = try body.sha256() }
    if let mismatch = try body.mismatch(with: DigestFields(whole: part.head), sha256: sha256) {
      shelf.remove(part)
      throw .corrupted(mismatch, at: context.request.url)
    }
    let transfer = transfer ?? TransferRecord(TransferMetrics())
    return Fetch.Downloaded(
      context: context,
      response: part.response(
        context.storageKey,
        varying: VaryingFields(response: part.head.headers, request: context.headers),
        body: body,
        digest: sha256,
        order: (askedAt, askedAt)
      ),
      change: .replaced,
      transfer: transfer,
      superseded: fallback?.response,
      explanation: explanation.adding(.downloaded(bytes: received, transfer.metrics))
    )
  }

  private struct Arrival {
    let range: Range<Int64>
    let total: Int64
    let validator: StrongValidator
  }

  /// Returns the part that a 206 carries, if it is in the requested range and may be stored; otherwise `nil`.
  private func arrival(_ head: ResponseHead, of gap: Range<Int64>?) -> Arrival? {
    guard usesParts, head.status == .partialContent, !head.headers.contains(.contentEncoding),
      head.headers[values: .contentRange].count == 1,
      let part = head.headers[.contentRange].flatMap(ContentRange.init), let range = part.range,
      let total = part.total, let validator = StrongValidator(head, receivedAt: responseTime),
      CacheKey(head.url) == CacheKey(context.request.url)
    else { return nil }
    if let length = head.headers[.contentLength], ASCII.integer(length) != range.length {
      return nil
    }
    let whole = wholeHead(head, total: total)
    let varying = VaryingFields(response: whole.headers, request: context.headers(behind: head))
    guard varying.match(context.headers),
      StoragePolicy.storability(of: whole, for: question.whole, expiry: .never) == .storable
    else { return nil }
    let arrived = range.lowerBound..<range.upperBound + 1
    // In another version, the same range may end elsewhere.
    let isKnown = gap != nil && self.part?.total == total
    guard let asked = isKnown ? gap : question.range.positions(in: total),
      arrived.lowerBound == asked.lowerBound || gap != nil && arrived.lowerBound == gap?.lowerBound,
      arrived.upperBound <= max(asked.upperBound, gap?.upperBound ?? 0)
    else { return nil }
    return Arrival(range: arrived, total: total, validator: validator)
  }

  /// Returns the head that a 200 of the same version would have.
  private func wholeHead(_ head: ResponseHead, total: Int64) -> ResponseHead {
    var whole = head.withoutNotes()
    whole.status = .ok
    for name in Self.ofThePart { whole.headers.remove(name) }
    whole.headers[.contentLength] = String(total)
    return whole
  }

  private static let ofThePart: [HTTPHeaders.Name] =
    [.contentRange] + PartialAnswer.ofTheContent

  private func record(of head: ResponseHead, total: Int64) -> PartialRecord {
    let whole = wholeHead(head, total: total)
    return PartialRecord(
      key: context.key,
      varying: VaryingFields(response: whole.headers, request: context.headers(behind: head)),
      head: whole,
      tags: context.request.tags,
      requestTime: requestTime,
      responseTime: responseTime
    )
  }

  private func confirms(_ head: ResponseHead, _ part: PartFile) -> Bool {
    Validation.accepts(head, for: part.response(context.key, body: ResourceBody(Data())))
      && part.whole.varyingFields.match(context.headers(behind: head))
  }

  /// Updates the stored head.
  private func renew(_ part: PartFile, _ head: ResponseHead) {
    let merged = wholeHead(Validation.merged(head, into: part.head), total: part.total)
    part.renew(record(of: merged, total: part.total).tagged(part.whole.tags))
  }

  private func restart(without isWithout: Bool, because reason: String) {
    restarts += 1
    explanation.add(.restarted(because: reason))
    output?.discard()
    writer = nil
    if isWithout || restarts > 3 { usesParts = false }
    phase = .beginning
  }

  /// Passes the response to a ``ResponseReceiver``, as one to a request for the whole body if it is a 200.
  ///
  /// An encoded 200 to a request for a range is not what a request for the whole gets: it is delivered, and
  /// not stored.
  private func goOnElsewhere(
    _ head: ResponseHead,
    _ transfer: Transfer.Iterator
  ) throws(FreshetError) {
    output?.discard()
    output = nil
    let isWhole = head.status == .ok && !head.headers.hasContentCoding
    let wanted = Fetch.Wanted(
      isWhole ? context.asking(for: question.whole, transport) : context,
      fallback: fallback,
      explanation: explanation,
      call: call
    )
    let receiver = ResponseReceiver(wanted, over: transport, options)
    try receiver.goOn(
      transfer,
      from: head,
      requestTime: requestTime,
      askedAt: askedAt,
      since: epoch
    )
    // Only a receiver that has begun falls back itself.
    phase = .elsewhere(receiver)
  }
}
