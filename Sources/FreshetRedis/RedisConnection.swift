#if Redis && !canImport(Darwin)
import CHiredis
import FreshetEssentials

/// A connection to the server, which does not block and belongs to the thread of its session.
final class RedisConnection {
  enum Role {
    case commands
    /// Receives messages; it only accepts commands for subscriptions.
    case messages
  }

  enum Receiver {
    /// A caller; the delay of a patient one is no outage.
    case caller(@Sendable (Result<RedisReply, RedisFailure>) -> Void, isPatient: Bool)
    case greeting(GreetingStep)
    case probe(since: ContinuousClock.Instant)
    /// Nobody: the caller has given up, or needs no reply.
    case none
  }

  enum GreetingStep {
    case preparation
    case run
    case hello
  }

  enum Phase {
    case connecting
    case securing
    case greeting
    case ready
  }

  private struct Sent {
    var receiver: Receiver
    let since: ContinuousClock.Instant
    var deadline: ContinuousClock.Instant?
  }

  let role: Role
  private(set) var phase = Phase.connecting
  let began = ContinuousClock.now
  /// The time at which the last command of the greeting was sent.
  var helloSince = ContinuousClock.now
  /// The time of the last message on a connection for messages.
  var heard = ContinuousClock.now
  let descriptor: Int32
  private let context: UnsafeMutablePointer<redisContext>
  private let limit: UnsafeMutablePointer<freshet_reply_limit>
  /// The largest number of bytes of a reply.
  private let byteLimit: Int
  private let secure: SecureChannel?
  /// The scripts that the server is to load.
  private let scripts: [RedisScript]
  private var output: [UInt8] = []
  private var written = 0
  /// The commands whose replies are still to come, in order, from an index on.
  private var sent: [Sent] = []
  private var answered = 0
  private var greetingsLeft = 0
  /// The server's identifier of its start.
  private(set) var run = ""
  /// A Boolean value that indicates whether TLS waits for the socket to become writable.
  private var needsWriting = false
  /// The number of bytes of the reply that is still to be completed.
  private var arrivedCount = 0

  /// The largest number of elements of a reply, with those of its arrays.
  private static let elementLimit: Int64 = 1 << 20

  /// Takes a connection that is being established.
  init(
    _ context: UnsafeMutablePointer<redisContext>,
    role: Role,
    byteLimit: Int,
    scripts: [RedisScript],
    secure: SecureChannel?
  ) {
    self.context = context
    self.role = role
    self.byteLimit = byteLimit
    self.secure = secure
    self.scripts = scripts
    descriptor = context.pointee.fd
    // No child process inherits it.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    limit = .allocate(capacity: 1)
    limit.initialize(to: freshet_reply_limit())
    limit.pointee.elements_left = Self.elementLimit
    freshet_limit_replies(context.pointee.reader, limit)
  }

  deinit {
    redisFree(context)
    limit.deallocate()
  }

  /// The number of replies that are still to come.
  var pendingCount: Int { sent.count - answered }
  /// The events that the socket is polled for.
  var events: Int16 {
    let hasOutput = written < output.count && phase != .securing
    let writes = phase == .connecting || hasOutput || needsWriting
    return Int16(POLLIN) | (writes ? Int16(POLLOUT) : 0)
  }

  /// The time at which the oldest command without a reply was sent.
  var waitingSince: ContinuousClock.Instant? { sent.dropFirst(answered).first?.since }
  /// A Boolean value that indicates whether a command without a reply is patient.
  var isPatient: Bool {
    sent.dropFirst(answered)
      .contains { if case .caller(_, isPatient: true) = $0.receiver { true } else { false } }
  }
  /// The earliest deadline of a command.
  var deadline: ContinuousClock.Instant? {
    sent.dropFirst(answered).lazy.compactMap(\.deadline).min()
  }

  /// Queues a command.
  func send(
    _ command: RedisCommand,
    to receiver: Receiver,
    deadline: ContinuousClock.Instant? = nil
  ) {
    command.write(to: &output)
    // Messages of subscriptions are no replies.
    if role == .commands || phase != .ready {
      sent.append(Sent(receiver: receiver, since: .now, deadline: deadline))
    }
  }

  /// Removes the callers whose deadline is over; their replies are dropped when they come.
  func expire(_ now: ContinuousClock.Instant) -> [Receiver] {
    var expired: [Receiver] = []
    for index in sent.indices.dropFirst(answered) {
      guard let deadline = sent[index].deadline, deadline <= now else { continue }
      expired.append(sent[index].receiver)
      sent[index].receiver = .none
      sent[index].deadline = nil
    }
    return expired
  }

  /// Removes all receivers, after the connection was lost.
  func abandon() -> [Receiver] {
    defer {
      sent = []
      answered = 0
    }
    return sent.dropFirst(answered).map(\.receiver)
  }
}

// MARK: - Greeting

extension RedisConnection {
  /// Proceeds after the socket has become ready.
  ///
  /// - Throws: ``RedisFailure`` if the connection could not be established.
  func advance(_ configuration: SharedStore.Configuration) throws(RedisFailure) {
    if phase == .connecting {
      var code: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
      guard code == 0 else {
        throw RedisFailure("cannot connect to the server: \(String(cString: strerror(code)))")
      }
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, length)
      phase = secure == nil ? .greeting : .securing
      if secure == nil { greet(configuration) }
    }
    if phase == .securing, let secure {
      switch try secure.handshake() {
      case .done:
        needsWriting = false
        phase = .greeting
        greet(configuration)
      case .wantsRead: needsWriting = false
      case .wantsWrite: needsWriting = true
      }
    }
  }

  private func greet(_ configuration: SharedStore.Configuration) {
    if let password = configuration.password {
      let user = configuration.user.map { [RedisArgument.text($0)] } ?? []
      greet(.preparation, [.text("AUTH")] + user + [.text(password)])
    }
    if configuration.database != 0 {
      greet(.preparation, [.text("SELECT"), .number(configuration.database)])
    }
    greet(.run, [.text("INFO"), .text("server")])
    guard role == .commands else { return }
    for script in scripts {
      greet(.preparation, [.text("SCRIPT"), .text("LOAD"), .text(script.source)])
    }
  }

  private func greet(_ step: GreetingStep, _ words: [RedisArgument]) {
    greetingsLeft += 1
    send(.words(words), to: .greeting(step))
  }

  /// Takes a reply of the greeting.
  ///
  /// - Returns: A Boolean value that indicates whether it was the last one.
  func greeted(_ step: GreetingStep, _ reply: RedisReply) throws(RedisFailure) -> Bool {
    if step == .run {
      let line = reply.text?.split(whereSeparator: \.isNewline).first { $0.hasPrefix("run_id:") }
      guard let line else { throw RedisFailure("the server does not report its run_id") }
      run = String(line.dropFirst("run_id:".count))
    }
    greetingsLeft -= 1
    return greetingsLeft == 0
  }

  /// Marks the connection as ready for commands.
  func becomeReady() {
    phase = .ready
    // Messages are heard from now on, however long it took.
    heard = .now
  }
}

// MARK: - Bytes

extension RedisConnection {
  /// Writes as much as the socket takes.
  func flush() throws(RedisFailure) {
    guard phase == .greeting || phase == .ready else { return }
    while written < output.count {
      let count = try write()
      guard count > 0 else { return }
      written += count
    }
    output.removeAll(keepingCapacity: output.capacity <= 1 << 20)
    written = 0
    needsWriting = false
  }

  private func write() throws(RedisFailure) -> Int {
    if let secure {
      let result = output.withUnsafeBytes { bytes in
        Result { () throws(RedisFailure) in
          try secure.write(UnsafeRawBufferPointer(rebasing: bytes[written...]))
        }
      }
      let count = try result.get()
      needsWriting = count == 0
      return count
    }
    let count = output.withUnsafeBytes { bytes in
      Glibc.send(
        descriptor,
        bytes.baseAddress.map { $0 + written },
        bytes.count - written,
        Int32(MSG_NOSIGNAL)
      )
    }
    if count >= 0 { return count }
    if errno == EAGAIN || errno == EINTR { return 0 }
    throw RedisFailure("the connection was lost: \(String(cString: strerror(errno)))")
  }

  /// Reads what has arrived.
  ///
  /// - Returns: The replies with their receivers, ``Receiver/none`` for messages, and the failure that ends
  ///   the connection after them.
  func read() -> (replies: [(Receiver, RedisReply)], failure: RedisFailure?) {
    var replies: [(Receiver, RedisReply)] = []
    do throws(RedisFailure) {
      try read(&replies)
      return (replies, nil)
    } catch {
      return (replies, error)
    }
  }

  private func read(_ replies: inout [(Receiver, RedisReply)]) throws(RedisFailure) {
    guard phase == .greeting || phase == .ready else { return }
    let size = 64 << 10
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    // Bounded, so that one connection does not starve the others.
    for _ in 0..<64 {
      let count = try readBytes(into: buffer)
      if count < 0 { throw RedisFailure("the connection was lost") }
      if count == 0 { return }
      let code = redisReaderFeed(
        context.pointee.reader,
        buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
        count
      )
      guard code == REDIS_OK else { throw RedisFailure.unreadable }
      arrivedCount += count
      // After each part: hiredis moves the rest of what it was fed again and again.
      try takeReplies(&replies)
      if count < size, secure == nil { return }
    }
  }

  /// - Returns: The number of bytes; 0 if there are none yet, -1 at the end.
  private func readBytes(into buffer: UnsafeMutableRawBufferPointer) throws(RedisFailure) -> Int {
    if let secure { return try secure.read(into: buffer) }
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return count }
    if count == 0 { return -1 }
    if errno == EAGAIN || errno == EINTR { return 0 }
    throw RedisFailure("the connection was lost: \(String(cString: strerror(errno)))")
  }

  private func takeReplies(_ replies: inout [(Receiver, RedisReply)]) throws(RedisFailure) {
    while true {
      var found: UnsafeMutableRawPointer?
      guard redisReaderGetReply(context.pointee.reader, &found) == REDIS_OK else {
        throw RedisFailure.unreadable
      }
      guard let found else {
        if arrivedCount > byteLimit { throw RedisFailure.unreadable }
        return
      }
      defer { freeReplyObject(found) }
      limit.pointee.elements_left = Self.elementLimit
      arrivedCount = context.pointee.reader.map { Int($0.pointee.len - $0.pointee.pos) } ?? 0
      let reply = RedisReply(found.assumingMemoryBound(to: redisReply.self))
      if role == .messages, phase == .ready {
        replies.append((.none, reply))
        continue
      }
      guard answered < sent.count else {
        throw RedisFailure("the server sent an unexpected reply")
      }
      replies.append((sent[answered].receiver, reply))
      // Released now: what a caller holds must not wait for the others.
      sent[answered].receiver = .none
      sent[answered].deadline = nil
      answered += 1
      if answered == sent.count || answered > 1_024 {
        sent.removeFirst(answered)
        answered = 0
      }
    }
  }
}
#endif
