import FreshetEssentials

extension ResponseReceiver {
  /// Requests the rest of a body whose transfer has failed, or throws the failure.
  func resume(after error: FreshetError) throws(FreshetError) {
    guard case .content = answer else { throw error }
    if case .corrupted = error {
      // A body that was assembled from parts is wrong as a whole: it is requested again, once.
      let reason = "the complete body has another digest or length"
      return try restart(try spool(), because: reason, failure: error)
    }
    guard error.isBrokenTransfer, resumptions > 0, length > lastResumption, let head = contentHead,
      let resumption = Resumption(context.request, head, receivedAt: responseTime, length: length)
    else { throw error }
    resumptions -= 1
    resume(resumption, try spool())
  }

  /// Sends the request for the rest.
  func resume(_ resumption: Resumption, _ writer: SpoolWriter) {
    lastResumption = writer.length
    part = nil
    requestTime = options.now()
    answer = .resuming(resumption, writer)
    self.writer = nil
    note(.resuming(from: resumption.position))
    send(resumption.request(request))
  }

  /// Handles the response to a request for the rest.
  func goOn(
    with head: ResponseHead,
    _ resumption: Resumption,
    _ writer: SpoolWriter
  ) throws(FreshetError) {
    switch resumption.verdict(on: head, isVerified: options.needsDigest) {
    case .append where !varying.match(context.headers(behind: head)):
      // A server may use the same validator for the bodies of two users.
      try restart(writer, because: "the stored part belongs to a request with other fields")
    case .append where options.contentTypes.refusal(of: resumption.head.headers) != nil:
      try restart(writer, because: "the stored part has another media type")
    case .append:
      responseTime = options.now()
      chosen = context.headers(behind: head)
      isPersonal = context.isPersonal(head, over: transport)
      let head = head.withoutNotes()
      let merged = resumption.merged(head)
      varying = VaryingFields(response: merged.headers, request: chosen)
      var digests = DigestFields(whole: resumption.head)
      digests.merge(DigestFields(whole: head))
      self.digests = digests
      part = ArrivingPart(head, overlap: writer.length - resumption.position)
      note(.resumed(from: resumption.position))
      if !options.isForFile, Self.mayNotRest(merged, context.request) { writer.becomeNameless() }
      if options.showsArrival, arriving == nil { arriving = Self.arriving(in: writer) }
      take(merged, writer)
      try request.refuseExcess(of: total)
    case .replace:
      writer.discard()
      lastResumption = 0
      note(.restarted(because: "the server sent the whole body"))
      answer = .awaited
      try begin(with: head)
    case .restart(let reason):
      try restart(writer, because: reason)
    case .other:
      if Resumption.isEnded(by: head.status) { writer.discard() }
      answer = .awaited
      try begin(with: head)
    }
  }

  /// Discards the partial body and sends the request for the whole body; it is not resumed again.
  private func restart(
    _ writer: SpoolWriter,
    because reason: String,
    failure: FreshetError? = nil
  ) throws(FreshetError) {
    writer.discard()
    self.writer = nil
    if let failure, part == nil { throw failure }
    note(.restarted(because: reason))
    resumptions = 0
    part = nil
    answer = .awaited
    requestTime = options.now()
    send(request)
  }

  /// Returns the bytes that an earlier fetch has stored, for progressive display; `nil` if they cannot be read.
  private static func arriving(in writer: SpoolWriter) -> ArrivingBody? {
    let count = Int(min(writer.length, Int64(ArrivingBody.limit)))
    let stored: Data? =
      if let output = writer.output {
        try? output.file.read(at: 0, count: count)
      } else {
        writer.buffer
      }
    guard let stored, stored.count >= count else { return nil }
    return ArrivingBody(stored.prefix(count))
  }

  /// Returns whether no policy allows to store the body; its file has no name then.
  static func mayNotRest(_ head: ResponseHead, _ request: Request) -> Bool {
    StoragePolicy.storability(of: head, for: request, expiry: .never) != .storable
  }

  /// Returns the record with which another process can resume the body; `nil` if resuming is not
  /// allowed, or if there is no validator for the version.
  func record(of head: ResponseHead) -> PartialRecord? {
    guard options.spool.partials != nil,
      Resumption.mayResume(context.request, head, receivedAt: responseTime),
      options.isForFile
        || StoragePolicy.storability(of: head, for: context.request) == .storable,
      varying.match(context.headers)
    else { return nil }
    return PartialRecord(
      key: context.storageKey,
      varying: varying,
      head: head,
      tags: context.request.tags,
      requestTime: requestTime,
      responseTime: responseTime
    )
  }
}

// MARK: - Checks

extension ResponseReceiver {
  /// Checks that an assembled body has the length that the server declares for the whole.
  func checkLength() throws(FreshetError) {
    guard part != nil, let total, length != total else { return }
    let url = Redaction.shown(contentHead?.url ?? request.url)
    if length < total { throw .connection(.truncated, url: url) }
    throw .corrupted(expected: "\(total) bytes", actual: "\(length) bytes", url: url)
  }

  /// Checks the digests that the server has sent (RFC 9530), before the body is delivered.
  func checkDigests(
    _ body: ResourceBody,
    _ digest: SHA256Checksum?,
    sha512: Data?
  ) throws(FreshetError) {
    let own = try digests.mismatch { algorithm throws(FreshetError) in
      if algorithm == .sha512 { return sha512 }
      if let digest { return digest.bytes }
      return try body.sha256().bytes
    }
    guard let mismatch = own ?? part?.mismatch() else { return }
    throw .corrupted(mismatch, at: context.request.url)
  }
}
