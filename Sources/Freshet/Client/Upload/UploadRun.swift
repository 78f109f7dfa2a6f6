import FreshetEssentials

/// One upload on its way: the requests one after the other, and the pauses between them.
///
/// It is used by one iterator. What follows a response is decided in `UploadRun+Decisions.swift`.
final class UploadRun {
  /// The purpose of a request.
  enum Purpose: Equatable {
    /// Asks whether the server resumes uploads.
    case support
    /// Begins the upload, with all of its bytes or with none.
    case creation(isWhole: Bool)
    /// Asks how much the server has.
    case offset
    /// Sends a range, which may be the last one.
    case append(Range<Int64>, isLast: Bool)
  }

  enum State {
    case ready
    /// A request follows, at once or after a pause.
    case next(Purpose, at: Duration? = nil)
    case running(Purpose, Transfer.Iterator)
    case over
  }

  let client: Client
  let options: UploadOptions
  /// The request of the upload, once it is prepared.
  var request: Request
  /// The `Expect` of the upload, for requests with content; `nil` leaves it to the client, which decides by length.
  let expectation: String?
  var state = State.ready
  var source: UploadSource?
  var digest: SHA256Checksum?
  /// The URL of the upload resource, once it is known.
  var location: URL?
  var isCareful: Bool
  /// The largest number of bytes in a request that the server allows.
  var maximumAppend: Int64?
  /// The largest offset that the server has reported.
  var reached: Int64 = 0
  /// The number of bytes that an earlier process had sent; `nil` until the server has reported it.
  var inherited: Int64?
  /// The key of the creation, which another upload in its place does not have, if the retry policy generates keys.
  lazy var key = stack.generator.uuid()
  /// The failure of the last request with bytes, if it may be the answer to the whole upload.
  var refusal: Response<Data>?
  /// A Boolean value that indicates whether an earlier process had such an answer.
  var wasRefused = false
  /// The failures since the last progress.
  var failures = 0
  /// The number of uploads that the server has given up.
  var losses = 0
  var explanation = Explanation()
  /// The work that a shutdown of the client waits for, also between two requests.
  private var work: ClientLifecycle.Work?
  private var timer: CallTimer?
  private var head: ResponseHead?
  private var body = Data()

  /// The largest body of a response that is collected, in bytes.
  private static let bodyLimit = 64 << 20

  init(_ upload: UploadSequence) {
    client = upload.client
    options = upload.options
    request = upload.request
    let ofClient =
      request.omittedHeaders.contains("Expect") ? nil : client.configuration.headers["Expect"]
    expectation = request.headers["Expect"] ?? ofClient
    isCareful = upload.options.resumption == .tus || upload.options.creation == .careful
  }

  deinit {
    abandon()
  }

  var stack: TransportStack { client.settings.stack }

  func next() async throws(FreshetError) -> Event<Response<Data>>? {
    do throws(FreshetError) {
      while true {
        switch state {
        case .over:
          work = nil
          return nil
        case .ready:
          work = client.settings.lifecycle.begin()
          try await begin()
        case .next(let purpose, let time):
          if let time { try await pause(until: time) }
          (head, body) = (nil, Data())
          if purpose != .offset { refusal = nil }
          let request = self.request(for: purpose)
          let sent = try timer?.remaining(of: request) ?? request
          let transfer = client.settings.transport.send(sent).makeAsyncIterator()
          state = .running(purpose, transfer)
        case .running(let purpose, let transfer):
          guard let event = try await step(purpose, transfer) else { continue }
          if case .over = state { work = nil }
          return event
        }
      }
    } catch {
      if error == .cancelled { abandon() }
      state = .over
      work = nil
      throw error
    }
  }

  // MARK: - Steps

  /// Opens the body and the journal.
  private func begin() async throws(FreshetError) {
    request = client.prepared(request).scoped
    request.hasOwnRetries = true
    for name in UploadFields.reserved { request.headers[name] = nil }
    timer = CallTimer(request, by: stack.clock)
    let source = try await UploadSource.opening(request)
    self.source = source
    let entry = try options.journal?.read()
    if let entry, entry.identity == source.identity {
      // A cancellation from here on may end it.
      if entry.target == target, entry.resumption == options.resumption,
        UploadLocation.problem(with: entry.location, of: request) == nil
      {
        location = entry.location
      }
      digest = entry.digest.flatMap { SHA256Checksum(hex: $0) }
    }
    if digest == nil, options.sendsDigest || entry?.digest != nil {
      digest = try await source.digest()
    }
    guard let entry else {
      state = .next(beginning)
      return
    }
    try check(entry, source)
    location = entry.location
    wasRefused = entry.isRefused == true
    state = .next(.offset)
  }

  /// The first request of an upload of which the server has nothing.
  var beginning: Purpose {
    let isCut = options.maximumAppend.map { $0 < source?.length ?? 0 } ?? false
    let asks = options.creation == .asking || options.creation == .optimistic && isCut
    return asks && options.resumption == .ietf ? .support : creation
  }

  /// Refuses a journal that another upload has written.
  private func check(_ entry: UploadJournal.Entry, _ source: UploadSource) throws(FreshetError) {
    guard entry.target == target, entry.resumption == options.resumption else {
      throw .file(
        "it is the journal of another upload; use one file for each upload",
        path: options.journal?.file.path ?? ""
      )
    }
    if let problem = UploadLocation.problem(with: entry.location, of: request) {
      throw .file("its location \(problem)", path: options.journal?.file.path ?? "")
    }
    // A file that was only moved has another number, and the same bytes.
    let isSame =
      entry.identity == source.identity || entry.digest != nil && entry.digest == digest?.hex
    guard isSame, entry.length == source.length else {
      throw .file(
        "it changed after its upload began; remove the journal to upload it again",
        path: source.path
      )
    }
  }

  /// Waits as a running call, which the activity shows and can cancel, and which a shutdown ends.
  private func pause(until end: Duration) async throws(FreshetError) {
    let tracking = CallTracking(
      activity: client.settings.activity,
      lifecycle: client.settings.lifecycle,
      // Observers see the requests before and after it.
      isOfFetch: true
    )
    var request = request
    let call = TrackedCall(request, by: tracking)
    request.call = call
    try call.begin()
    do throws(FreshetError) {
      try await request.waiting { [clock = stack.clock] () async throws(FreshetError) in
        try await clock.sleep(until: end)
      }
    } catch {
      call.end(error)
      throw error
    }
    call.end(nil)
  }

  /// Takes one event of the transfer.
  private func step(
    _ purpose: Purpose,
    _ running: Transfer.Iterator
  ) async throws(FreshetError) -> Event<Response<Data>>? {
    var transfer = running
    let event: TransferEvent?
    do throws(FreshetError) {
      event = try await transfer.next()
    } catch {
      if let head { try await noteRefusal(Response(head: head, value: body), of: purpose) }
      try recover(from: .failed(error), of: purpose) { error }
      return nil
    }
    switch event {
    case .sent(let progress):
      return self.progress(progress.completed, of: purpose).map { .progress($0) }
    case .interim(let head):
      try await note(interim: head)
    case .head(let head):
      self.head = head
    case .body(let chunk):
      guard body.count + chunk.count <= Self.bodyLimit else {
        if let head { try await noteRefusal(Response(head: head, value: body), of: purpose) }
        throw .limitExceeded(.bodyBytes(Int64(Self.bodyLimit)), url: Redaction.shown(request.url))
      }
      body.append(chunk)
    case .redirected, .waitingForConnectivity:
      for decision in event?.decisions ?? [] { explanation.add(decision) }
    case .retrying:
      break
    case .finished, nil:
      guard let head else { throw .noValue }
      return try await conclude(purpose, Response(head: head, value: body))
    }
    return nil
  }

  private func progress(_ sent: Int64, of purpose: Purpose) -> TransferProgress? {
    let start: Int64
    switch purpose {
    case .creation(isWhole: true): start = 0
    case .append(let range, _): start = range.lowerBound
    case .creation, .support, .offset: return nil
    }
    return progress(at: start + sent)
  }

  func progress(at offset: Int64) -> TransferProgress {
    TransferProgress(
      sent: offset,
      total: source?.length,
      inherited: min(inherited ?? 0, offset)
    )
  }

  /// The time that is left of the whole upload; `nil` without a limit.
  var rest: Duration? { timer?.rest }

  /// Ends what is under way, and the upload on the server if the options say so.
  private func abandon() {
    if case .over = state { return }
    state = .over
    guard options.deletesWhenCancelled, let location else { return }
    let request = resource(.delete, at: location)
    Task.detached { [client, work, journal = options.journal] in
      // A shutdown of the client waits for it.
      defer { withExtendedLifetime(work) {} }
      let transport = client.settings.transport
      let call = BypassingCall(request: request, transport: transport, limit: 1 << 16)
      // An upload that is still there can be resumed, or removed later.
      guard let status = try? await call.value.status, status.isSuccess || status.isGone else {
        return
      }
      // Another upload may have begun meanwhile.
      let entry = try? journal?.read()
      if entry?.location == location { try? journal?.discard() }
    }
  }
}
