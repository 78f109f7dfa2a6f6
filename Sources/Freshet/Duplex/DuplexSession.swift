import FreshetEssentials

/// The state of a duplex stream, which its readers, its writers and the task of its transfer share.
///
/// The task retains it and not the stream, so that releasing the stream ends the task.
final class DuplexSession: Sendable {
  let request: Request
  let transport: any Transport
  let state: Watched<State>
  private let buffer: Int

  struct State: Sendable {
    var task: Task<Void, Never>?
    var outbox = Queue<Data>()
    /// The number of bytes in the outbox.
    var outboxBytes = 0
    /// A Boolean value that indicates whether the app has finished the body.
    var isFinished = false
    var head: ResponseHead?
    var inbox = Queue<Data>()
    /// The number of bytes in the inbox.
    var inboxBytes = 0
    var end: Result<Void, FreshetError>?
    /// A Boolean value that indicates whether the call was cancelled from outside.
    var isInterrupted = false
  }

  init(_ request: Request, over transport: any Transport, buffer: Int) {
    self.request = request
    self.transport = transport
    self.buffer = max(buffer, 1)
    state = Watched(State())
  }

  private var shownURL: String { Redaction.shown(request.url) }

  /// Begins the transfer, once; a cancelled task begins none.
  private func begin() {
    state.update { state in
      guard state.task == nil, state.end == nil, !Task.isCancelled else { return }
      state.task = Task { [self] in await run() }
    }
  }

  /// Ends both directions, unless they have ended.
  func cancel() {
    let task = state.update { state -> Task<Void, Never>? in
      guard state.end == nil else { return nil }
      state.end = .failure(.cancelled)
      state.inbox.removeAll()
      state.inboxBytes = 0
      state.dropOutbox()
      return state.task
    }
    task?.cancel()
  }
}

// MARK: - Writers

extension DuplexSession {
  func send(_ bytes: Data) async throws(FreshetError) {
    begin()
    guard !Task.isCancelled else { throw .cancelled }
    let (limit, url) = (buffer, shownURL)
    try await state.value { state -> Result<Void, FreshetError>? in
      if let failure = state.sendingFailure(url) { return .failure(failure) }
      // One limit for all chunks, so that a short one does not overtake a long one.
      guard state.outboxBytes < limit else { return nil }
      guard !bytes.isEmpty else { return .success(()) }
      state.outbox.append(bytes)
      state.outboxBytes += bytes.count
      return .success(())
    }
  }

  func finish() {
    begin()
    state.update { $0.isFinished = true }
  }

  /// Waits for the next part of the body, in which small chunks are joined; `nil` after the last one.
  func nextPart() async throws(FreshetError) -> Data? {
    try await state.value { state -> Result<Data?, FreshetError>? in
      // A body that merely ended would be taken for a whole one.
      if state.end != nil { return .failure(.cancelled) }
      guard var part = state.outbox.popFirst() else {
        return state.isFinished ? .success(nil) : nil
      }
      while part.count < Self.share, let next = state.outbox.popFirst() { part.append(next) }
      state.outboxBytes -= part.count
      return .success(part)
    }
  }

  /// The number of bytes from which on no further chunk is joined.
  private static let share = 16 << 10
}

extension DuplexSession.State {
  /// Returns the reason why nothing can be sent any more, or `nil`.
  fileprivate func sendingFailure(_ url: String) -> FreshetError? {
    switch end {
    case .failure(let error): error
    case nil where isFinished, .success where isFinished:
      .invalidRequest("its body is finished", url: url)
    case .success: .connection(.lost, url: url)
    case nil: nil
    }
  }

  fileprivate mutating func dropOutbox() {
    outbox.removeAll()
    outboxBytes = 0
  }
}

// MARK: - Readers

extension DuplexSession {
  /// Waits for the next chunk of an iterator; `isOver` becomes `true` when it gets the end.
  func next(_ isOver: inout Bool) async throws(FreshetError) -> Data? {
    guard !isOver else { return nil }
    begin()
    guard !Task.isCancelled, let step = await state.first({ $0.step() }) else {
      cancel()
      isOver = true
      throw .cancelled
    }
    switch step {
    case .success(.some): break
    case .success(nil), .failure: isOver = true
    }
    return try step.get()
  }

  func head() async throws(FreshetError) -> ResponseHead {
    begin()
    let head = await state.first { state -> Result<ResponseHead, FreshetError>? in
      if let head = state.head { return .success(head) }
      guard let end = state.end else { return nil }
      guard case .failure(let error) = end else { return .failure(.noValue) }
      return .failure(error)
    }
    guard let head else {
      cancel()
      throw .cancelled
    }
    return try head.get()
  }
}

extension DuplexSession.State {
  /// Returns the next chunk, or the end behind the last one.
  fileprivate mutating func step() -> Result<Data?, FreshetError>? {
    if let chunk = inbox.popFirst() {
      inboxBytes -= chunk.count
      return .success(chunk)
    }
    return end?.map { nil }
  }
}

// MARK: - Transfer

extension DuplexSession {
  private func run() async {
    let end: Result<Void, FreshetError>
    do throws(FreshetError) {
      try await transfer()
      end = .success(())
    } catch {
      end = .failure(error)
    }
    state.update { state in
      state.dropOutbox()
      if state.end == nil { state.end = end }
    }
  }

  private func transfer() async throws(FreshetError) {
    guard request.body == nil else {
      throw .invalidRequest("a duplex stream writes the body itself", url: shownURL)
    }
    guard request.method != .get, request.method != .head else {
      throw .invalidRequest(
        "a \(request.method) has no body that a duplex stream could write; use POST, PUT or PATCH",
        url: shownURL
      )
    }
    var request = request
    // Whoever keeps the request does not keep the session, and with it the transport.
    request.body = .stream { [weak self] in
      PulledChunks(from: ()) { [self] _ in
        guard let self else { throw FreshetError.cancelled }
        return try await self.nextPart()
      }
    }
    var transfer = transport.send(request).makeAsyncIterator()
    // The next step of the transfer throws then, which must not wait for the reader.
    transfer.onCancel { [weak self] in self?.state.update { $0.isInterrupted = true } }
    while let event = try await transfer.next() {
      switch event {
      case .head(let head):
        state.update { $0.head = head }
      case .body(let chunk):
        let limit = buffer
        state.update { state in
          guard state.end == nil else { return }
          state.inbox.append(chunk)
          state.inboxBytes += chunk.count
        }
        await state.wait { $0.inboxBytes < limit || $0.end != nil || $0.isInterrupted }
      case .sent, .redirected, .retrying, .interim, .waitingForConnectivity, .finished:
        break
      }
    }
  }
}
