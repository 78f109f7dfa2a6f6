import Foundation

extension ResponseReceiver {
  /// Asks for the rest of a body whose transfer has failed, or throws the failure.
  func resume(after error: FreshetError) throws(FreshetError) {
    switch (error, answer) {
    case (_, .content) where isContradiction(error):
      // A body that was put together and is wrong as a whole: it begins anew, once.
      try restart(try spool(), because: "the whole has another digest or length", failure: error)
    case (.connection, .content), (.timedOut(.idle, _), .content):
      guard resumptions > 0, length > lastResumption, let head = contentHead,
        let resumption = Resumption(
          context.request,
          head,
          receivedAt: responseTime,
          length: length
        )
      else { throw error }
      resumptions -= 1
      resume(resumption, try spool())
    default:
      throw error
    }
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

  /// Takes the answer to a request for the rest.
  func goOn(
    with head: ResponseHead,
    _ resumption: Resumption,
    _ writer: SpoolWriter
  ) throws(FreshetError) {
    switch resumption.verdict(on: head) {
    case .append where !varying.match(context.headers(behind: head)):
      // The server may name two users' bodies alike.
      try restart(writer, because: "it was asked for by somebody else")
    case .append:
      responseTime = options.now()
      chosen = context.headers(behind: head)
      let head = head.withoutNotes()
      let merged = resumption.merged(head)
      varying = VaryingFields(response: merged.headers, request: chosen)
      var digests = DigestFields(whole: resumption.head)
      digests.merge(DigestFields(whole: head))
      self.digests = digests
      part = ArrivingPart(head, overlap: writer.length - resumption.position)
      note(.resumed(from: resumption.position))
      take(merged, writer)
    case .replace:
      writer.discard()
      note(.restarted(because: "the server sent the whole"))
      answer = .awaited
      try begin(with: head)
    case .restart(let reason):
      try restart(writer, because: reason)
    case .other:
      if head.status.isClientError || head.status == .notModified { writer.discard() }
      answer = .awaited
      try begin(with: head)
    }
  }

  /// Forgets what has arrived, and sends the request as if nothing had; it resumes no more.
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
    lastResumption = 0
    answer = .awaited
    requestTime = options.now()
    send(request)
  }

  private func isContradiction(_ error: FreshetError) -> Bool {
    if case .corrupted = error { true } else { false }
  }

  /// Whether the body may not be stored by any policy: then nobody finds it on the disk either.
  static func mayNotRest(_ head: ResponseHead, _ request: Request) -> Bool {
    StoragePolicy.storability(of: head, for: request, expiry: .never) != .storable
  }

  /// What another process must know to go on; `nil` if it may not, or if nothing would tell it which
  /// version has arrived.
  func record(of head: ResponseHead) -> PartialRecord? {
    guard options.spool.partials != nil,
      Resumption.mayResume(context.request, head, receivedAt: responseTime),
      StoragePolicy.storability(of: head, for: context.request) == .storable,
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
  /// A body that was put together must be as long as the server says the whole is.
  func checkLength() throws(FreshetError) {
    guard part != nil, let total, length != total else { return }
    let url = Redaction.shown(contentHead?.url ?? request.url)
    if length < total { throw .connection(.truncated, url: url) }
    throw .corrupted(expected: "\(total) bytes", actual: "\(length) bytes", url: url)
  }

  /// Compares the digests that the server has sent (RFC 9530), before anybody gets the body.
  func checkDigests(
    _ body: ResourceBody,
    _ digest: SHA256Digest?,
    sha512: Data?
  ) throws(FreshetError) {
    guard !digests.expectations.isEmpty || part != nil else { return }
    var sha256 = digest
    if sha256 == nil, digests.needsSHA256 { sha256 = try body.sha256() }
    let mismatch =
      digests.mismatch(sha256: sha256?.bytes, sha512: sha512)
      ?? part?.mismatch()
    guard let mismatch else { return }
    throw .corrupted(
      expected: Hexadecimal.text(mismatch.expected),
      actual: Hexadecimal.text(mismatch.actual),
      url: Redaction.shown(context.request.url)
    )
  }
}
