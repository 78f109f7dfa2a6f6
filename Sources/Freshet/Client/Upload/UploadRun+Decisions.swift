import FreshetEssentials

extension UploadRun {
  /// Decides on the next step after the response to a request.
  ///
  /// - Returns: The response to the whole upload, or progress; `nil` if another request follows.
  func conclude(
    _ purpose: Purpose,
    _ response: Response<Data>
  ) async throws(FreshetError) -> Event<Response<Data>>? {
    let head = response.head
    noteLimit(head)
    switch purpose {
    case .support:
      isCareful = UploadFields.announcesResumption(head)
      try checkSize(head)
      state = .next(creation)
    case .creation(let isWhole):
      return try await concludeCreation(isWhole: isWhole, response)
    case .offset:
      return try await concludeOffset(response)
    case .append(let range, let isLast):
      return try await concludeAppend(range, isLast: isLast, response)
    }
    return nil
  }

  /// Takes the address of the upload from an interim response.
  func note(interim head: ResponseHead) async throws(FreshetError) {
    let (name, version) = UploadFields.version(.ietf)
    guard head.status == 104, options.resumption == .ietf, head.headers[name] == version else {
      return
    }
    noteLimit(head)
    try checkSize(head)
    if location == nil { try await locate(head) }
  }

  private func noteLimit(_ head: ResponseHead) {
    guard let limit = UploadFields.limit("max-append-size", in: head.headers), limit > 0 else {
      return
    }
    maximumAppend = limit
  }

  // MARK: - Responses

  private func concludeCreation(
    isWhole: Bool,
    _ response: Response<Data>
  ) async throws(FreshetError) -> Event<Response<Data>>? {
    let head = response.head
    let isComplete = UploadFields.isComplete(head.headers)
    if isWhole, isComplete != false, head.status.isSuccess {
      if isComplete == true { try requireAll(try offset(of: head), head) }
      return try await finish(response, .creation(isWhole: true))
    }
    if isWhole, head.status == 413, maximumAppend != nil, !isCareful {
      isCareful = true
      forgetResource()
      try options.journal?.discard()
      state = .next(creation)
      return nil
    }
    guard head.status.isSuccess else {
      try await noteRefusal(response, of: .creation(isWhole: isWhole))
      try retry(.creation(isWhole: isWhole), response)
      return nil
    }
    try checkSize(head)
    if location == nil { try await locate(head) }
    guard location != nil else {
      throw .invalidResponse(
        "it has no Location for the created upload",
        url: Redaction.shown(head.url)
      )
    }
    let offset = try offset(of: head) ?? 0
    if options.resumption == .tus, offset == source?.length {
      return try await finish(response, .creation(isWhole: false))
    }
    state = .next(append(at: offset))
    return nil
  }

  private func concludeOffset(
    _ response: Response<Data>
  ) async throws(FreshetError) -> Event<Response<Data>>? {
    let head = response.head
    // By tus 1.0, a server may also answer 403 for an upload that it does not have. The journal stays until a new
    // upload is in its place: the 403 may be about credentials.
    let mayBeGone = head.status == 403 && options.resumption == .tus && inherited == nil
    if head.status.isGone || mayBeGone {
      // The server has given it up: everything is sent again.
      let isOfEarlierRun = inherited == nil
      forgetResource()
      // However far each of them gets.
      failures = max(failures, losses)
      losses += 1
      if !mayBeGone { try options.journal?.discard() }
      let next = isCareful ? creation : beginning
      try recover(
        from: .failed(.connection(.lost, url: "")),
        of: next,
        mayRepeat: isOfEarlierRun
      ) { .status(head, body: response.value) }
      return nil
    }
    guard head.status.isSuccess, let offset = try offset(of: head) else {
      guard !head.status.isSuccess else { throw noOffset(head) }
      try retry(.offset, response)
      return nil
    }
    let length = UploadFields.integer(head.headers[UploadFields.length])
    if let length, length != source?.length {
      let own = source?.length ?? 0
      throw giveUp("its Upload-Length is \(length), but the body has \(own) bytes", head)
    }
    if offset > reached { (reached, failures) = (offset, 0) }
    if inherited == nil { inherited = offset }
    let isComplete =
      options.resumption == .tus
      ? offset == source?.length : UploadFields.isComplete(head.headers) == true
    if isComplete, wasRefused {
      forgetResource()
      try options.journal?.discard()
      state = .next(isCareful ? creation : beginning)
      return nil
    }
    if isComplete {
      try requireAll(offset, head)
      if let refusal {
        try options.journal?.discard()
        throw .status(refusal.head, body: refusal.value)
      }
      return try await finish(response, .offset)
    }
    if refusal != nil || wasRefused {
      // Bytes are missing, so that it was no answer to the whole.
      (refusal, wasRefused) = (nil, false)
      try await record()
    }
    state = .next(append(at: offset))
    return .progress(progress(at: offset))
  }

  private func concludeAppend(
    _ range: Range<Int64>,
    isLast: Bool,
    _ response: Response<Data>
  ) async throws(FreshetError) -> Event<Response<Data>>? {
    let head = response.head
    let purpose = Purpose.append(range, isLast: isLast)
    let isComplete = UploadFields.isComplete(head.headers)
    guard head.status.isSuccess else {
      try await noteRefusal(response, of: purpose)
      try retry(purpose, response)
      return nil
    }
    if options.resumption == .ietf, isComplete == true || isLast && isComplete == nil {
      let offset = try offset(of: head)
      guard isLast else { throw giveUp(tooShort(offset ?? range.upperBound), head) }
      try requireAll(offset, head)
      return try await finish(response, purpose)
    }
    // By tus 1.0 the field is required: without it, the server may have read nothing, and is asked.
    let assumed = options.resumption == .tus ? nil : range.upperBound
    guard let offset = try offset(of: head) ?? assumed else {
      try recover(from: .failed(.connection(.lost, url: "")), of: purpose) { noOffset(head) }
      return nil
    }
    guard offset <= range.upperBound else {
      throw .invalidResponse(
        "its Upload-Offset is \(offset), but only \(range.upperBound) bytes were sent",
        url: Redaction.shown(head.url)
      )
    }
    if offset > reached { (reached, failures) = (offset, 0) }
    if options.resumption == .tus, offset == source?.length {
      return try await finish(response, purpose)
    }
    // An append that moves nothing would be repeated for ever.
    guard offset > range.lowerBound else {
      try recover(from: .failed(.connection(.lost, url: "")), of: purpose) {
        .invalidResponse("its Upload-Offset did not advance", url: Redaction.shown(head.url))
      }
      return nil
    }
    state = .next(append(at: offset))
    return nil
  }

  /// Checks that the server has all bytes of an upload that it calls complete, if it tells how many it has.
  private func requireAll(_ offset: Int64?, _ head: ResponseHead) throws(FreshetError) {
    guard let offset, offset != source?.length else { return }
    throw giveUp(tooShort(offset), head)
  }

  private func noOffset(_ head: ResponseHead) -> FreshetError {
    .invalidResponse("it has no Upload-Offset", url: Redaction.shown(head.url))
  }

  /// Returns the reason for the failure of an upload that the server calls complete without all of its bytes.
  private func tooShort(_ offset: Int64) -> String {
    "the server calls the upload complete with \(offset) of \(source?.length ?? 0) bytes"
  }

  /// Removes the journal of an upload that cannot be resumed, and returns its failure, also if that fails.
  private func giveUp(_ reason: String, _ head: ResponseHead) -> FreshetError {
    try? options.journal?.discard()
    return .invalidResponse(reason, url: Redaction.shown(head.url))
  }

  /// Throws the refusal of an upload whose bytes have all arrived, and notes one if they may have.
  ///
  /// It is the answer to the whole. The server would call the upload complete if it were asked again, now or by
  /// means of the journal, which would be a success.
  func noteRefusal(_ response: Response<Data>, of purpose: Purpose) async throws(FreshetError) {
    guard options.resumption == .ietf, !response.status.isSuccess else { return }
    switch UploadFields.isComplete(response.headers) {
    case true:
      try options.journal?.discard()
      throw .status(response.head, body: response.value)
    case nil where mayRefuse(response, of: purpose):
      refusal = response
      do {
        try await record()
      } catch {
        try? options.journal?.discard()
      }
    default: break
    }
  }

  /// Returns whether a failure may be the answer to the whole upload.
  private func mayRefuse(_ response: Response<Data>, of purpose: Purpose) -> Bool {
    // These are of gateways, and of servers that are busy, and say nothing about the upload.
    guard ![408, 425, 429, 502, 503, 504].contains(response.status) else { return false }
    switch purpose {
    case .creation(let isWhole): return isWhole
    case .append(_, let isLast):
      // Another request is under way, or has moved the offset.
      let isConflict = response.status == 409 && response.headers.contains(UploadFields.offset)
      return isLast && !isConflict && response.status != 423
        && !UploadFields.isOfCompleteUpload(response)
    case .support, .offset: return false
    }
  }

  /// Lets another upload resource follow, whose creation is another request.
  private func forgetResource() {
    (location, reached, inherited, wasRefused) = (nil, 0, 0, false)
    key = stack.generator.uuid()
  }

  /// Returns the number of bytes that the server has.
  ///
  /// - Throws: ``FreshetError/invalidResponse(_:url:)`` for more than the body has, with which the upload ends.
  private func offset(of head: ResponseHead) throws(FreshetError) -> Int64? {
    guard let offset = UploadFields.integer(head.headers[UploadFields.offset]) else { return nil }
    let length = source?.length ?? 0
    guard offset <= length else {
      throw giveUp("its Upload-Offset is \(offset), but the body has \(length) bytes", head)
    }
    return offset
  }

  private func checkSize(_ head: ResponseHead) throws(FreshetError) {
    guard let limit = UploadFields.limit("max-size", in: head.headers),
      let length = source?.length, length > limit
    else { return }
    throw .invalidRequest(
      "its body has \(length) bytes, but the server accepts at most \(limit)",
      url: Redaction.shown(head.url)
    )
  }

  /// Takes the address of the upload.
  private func locate(_ head: ResponseHead) async throws(FreshetError) {
    guard let text = head.headers[.location] else { return }
    let shown = Redaction.shown(head.url)
    if let problem = URLCheck.ambiguity(in: text) {
      throw .invalidResponse("its Location is not requested: \(problem)", url: shown)
    }
    guard let url = URL(unicode: text, relativeTo: head.url)?.absoluteURL, URLOrigin(url) != nil
    else { throw .invalidResponse("its Location is not a URL", url: shown) }
    if let problem = UploadLocation.problem(with: url, of: request) {
      throw .invalidResponse("its Location \(problem)", url: shown)
    }
    location = url
    inherited = inherited ?? 0
    try await record()
  }

  /// Writes the address of the upload to the journal, and whether it was refused.
  private func record() async throws(FreshetError) {
    guard let journal = options.journal, let source, let location else { return }
    try await journal.write(
      UploadJournal.Entry(
        target: target,
        resumption: options.resumption,
        location: location,
        identity: source.identity,
        length: source.length,
        digest: digest?.hex,
        isRefused: refusal == nil ? nil : true
      )
    )
  }
}

// MARK: - Failures

extension UploadRun {
  /// Goes on after a response that is no success, or throws it.
  private func retry(_ purpose: Purpose, _ response: Response<Data>) throws(FreshetError) {
    let head = response.head
    let outcome: RetryPolicy.Outcome
    switch (purpose, head.status) {
    // The server has another offset, or still writes what an earlier request has sent, or has lost the upload,
    // which the question for the offset finds out.
    case (.append(let range, _), 413) where maximumAppend.map { $0 < range.length } == true:
      // It told how much it takes.
      outcome = .failed(.connection(.lost, url: ""))
    case (.append, 400) where UploadFields.isOfCompleteUpload(response),
      (.append, 404), (.append, 409), (.append, 410), (.append, 423), (.offset, 423):
      outcome = .failed(.connection(.lost, url: ""))
    default:
      outcome = .answered(head)
    }
    try recover(from: outcome, of: purpose) { .status(head, body: response.value) }
  }

  /// Goes on after a pause, or throws; `mayRepeat` says that this run has sent nothing of the upload.
  func recover(
    from outcome: RetryPolicy.Outcome,
    of purpose: Purpose,
    mayRepeat: Bool = false,
    _ failure: () -> FreshetError
  ) throws(FreshetError) {
    let next: Purpose
    switch purpose {
    case .support: next = purpose
    case .creation(let isWhole):
      next = location == nil ? purpose : .offset
      // Without an address the whole request would be repeated; an empty one does no harm.
      let isAllowed = mayRepeat || location != nil || !isWhole
      guard isAllowed || options.retry.mayRepeat(request(for: purpose)) else { throw failure() }
    case .offset, .append: next = .offset
    }
    failures += 1
    // It is the request to ask for the offset that follows, which may always be repeated.
    var asking = Request(.head, request.url)
    asking.timeouts.total = rest
    let decision = options.retry.decision(
      for: asking,
      attempt: failures,
      outcome: outcome,
      elapsed: .zero,
      now: client.settings.configuration.now(),
      jitter: stack.generator.fraction()
    )
    guard case .after(let pause) = decision else { throw failure() }
    explanation.add(.retried(attempt: failures + 1, after: pause, because: outcome.reason))
    state = .next(next, at: stack.clock.now + pause)
  }
}

// MARK: - End

extension UploadRun {
  /// Ends the upload with its response.
  private func finish(
    _ response: Response<Data>,
    _ purpose: Purpose
  ) async throws(FreshetError) -> Event<Response<Data>> {
    state = .over
    // Other bytes cannot be resumed either.
    try options.journal?.discard()
    try compare(response, of: purpose)
    if purpose != .creation(isWhole: true) {
      // The last request went elsewhere.
      let configuration = client.configuration
      await configuration.invalidating(configuration.transport)?
        .invalidate(after: request, response.head)
    }
    var response = response
    response.record.call = CallRecord(
      request: request,
      explanation: explanation,
      models: client.configuration.models
    )
    return .value(response)
  }

  /// Compares the digest that the server has computed, if the response has one.
  private func compare(
    _ response: Response<Data>,
    of purpose: Purpose
  ) throws(FreshetError) {
    let isResumable = options.resumption == .tus || location != nil
    guard UploadFields.isComplete(response.headers) == true || isResumable,
      let digest, let told = UploadFields.digest(in: response.headers), told != digest,
      // It may be that of the response's own body, which the field is meant for elsewhere.
      purpose == .offset && options.resumption == .ietf
        || told != SHA256Hasher.digest(of: response.value)
    else { return }
    throw .corrupted(
      expected: digest.hex,
      actual: told.hex,
      url: Redaction.shown(request.url)
    )
  }
}
