#if Redis && !canImport(Darwin)
import CHiredis
import Freshet
import FreshetEssentials
import Synchronization

/// The thread of a pool: an event loop over its connections.
final class RedisSession {
  private let pool: RedisPool
  /// The `eventfd` by which the pool wakes the thread.
  private let signal: Int32
  private var connections: [RedisConnection] = []
  /// The commands that wait until a connection is ready.
  private var waiting: [RedisPool.Job] = []
  /// The numbers of attempts to connect that are under way.
  private var connecting: [RedisConnection.Role: Int] = [:]
  private var nextAttempt = ContinuousClock.now
  private var failures = 0
  /// The next probe during an outage.
  private var nextProbe: ContinuousClock.Instant?
  private var probes = 0
  private var subscribed: Set<String> = []
  /// A Boolean value that indicates whether messages are subscribed to.
  private var isHearing = false
  private var nextPing = ContinuousClock.now

  /// The time between two pings of the connection for messages.
  private static let pingPause = Duration.seconds(1)

  init(_ pool: RedisPool, _ signal: Int32) {
    self.pool = pool
    self.signal = signal
  }

  private var configuration: SharedStore.Configuration { pool.configuration }

  /// The longest time without a reply after which a connection is replaced: commands expire before it.
  private var stall: Duration { max(.seconds(1), configuration.timeout * 2) }

  /// The time at which a ready connection is replaced without a reply; `nil` if none is missing.
  private func stallEnd(of connection: RedisConnection) -> ContinuousClock.Instant? {
    let limit = connection.isPatient ? max(stall, configuration.connectTimeout) : stall
    return connection.waitingSince.map { $0 + limit }
  }

  func work() {
    ignoreBrokenPipes()
    while true {
      let inbox = pool.inbox.withLock { inbox in
        defer {
          inbox.jobs = []
          inbox.attempts = []
          inbox.hasSignal = false
          inbox.isHurried = false
        }
        return inbox
      }
      for attempt in inbox.attempts { adopt(attempt) }
      if inbox.isStopped {
        end(inbox.jobs)
        return
      }
      waiting += inbox.jobs
      if inbox.isHurried { hurry() }
      connect(isHearing: !inbox.channels.isEmpty)
      dispatch()
      adjustSubscriptions(inbox.channels)
      flush()
      wait()
      expire()
      probe()
    }
  }

  /// Blocks `SIGPIPE` for this thread: OpenSSL writes to sockets without `MSG_NOSIGNAL`.
  private func ignoreBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func end(_ jobs: [RedisPool.Job]) {
    for job in waiting + jobs { job.complete(.failure(.closed)) }
    for connection in connections { fail(connection.abandon(), .closed) }
    connections = []
    // An attempt that is still under way finds the pool stopped, and frees its connection.
  }

  private func commandConnections() -> [RedisConnection] {
    connections.filter { $0.role == .commands }
  }
}

// MARK: - Connecting

extension RedisSession {
  /// Starts the attempts that are due.
  private func connect(isHearing: Bool) {
    self.isHearing = isHearing
    guard ContinuousClock.now >= nextAttempt else { return }
    for _ in 0..<max(0, missingCount) { attempt(.commands) }
    if isHearing, !hears { attempt(.messages) }
  }

  /// The number of connections for commands that neither exist nor are attempted.
  private var missingCount: Int {
    configuration.connectionCount - commandConnections().count - connecting[.commands, default: 0]
  }

  private var hears: Bool {
    connections.contains { $0.role == .messages } || connecting[.messages, default: 0] > 0
  }

  /// Resolves the name and begins to connect, on another thread: a name may take seconds.
  private func attempt(_ role: RedisConnection.Role) {
    connecting[role, default: 0] += 1
    let pool = pool
    let run: @Sendable () -> Void = {
      let context: UnsafeMutablePointer<redisContext>? =
        switch pool.address.place {
        case .host(let host, let port): redisConnectNonBlock(host, Int32(port))
        case .socket(let path): redisConnectUnixNonBlock(path)
        }
      let attempt = RedisPool.Attempt(role: role, address: UInt(bitPattern: context))
      let isTaken = pool.inbox.withLock { inbox in
        if inbox.isStopped { return false }
        inbox.attempts.append(attempt)
        return true
      }
      if isTaken { pool.wake() } else if let context { redisFree(context) }
    }
    do throws(DetachedThreadFailure) {
      try DetachedThread.start(name: "freshet.connect", run)
    } catch {
      connecting[role, default: 0] -= 1
      noteFailure(RedisFailure(error.reason))
    }
  }

  private func adopt(_ attempt: RedisPool.Attempt) {
    connecting[attempt.role, default: 0] -= 1
    // Nobody else has the address: the thread of the attempt has handed it over.
    guard let context = UnsafeMutablePointer<redisContext>(bitPattern: attempt.address) else {
      return noteFailure(RedisFailure("cannot connect to the server: out of memory"))
    }
    guard context.pointee.err == 0 else {
      let reason = withUnsafeBytes(of: context.pointee.errstr) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      redisFree(context)
      return noteFailure(RedisFailure("cannot connect to the server: \(reason)"))
    }
    do throws(RedisFailure) {
      var secure: SecureChannel?
      if let host = pool.address.secureHost {
        secure = try SecureChannel(
          context.pointee.fd,
          host: host,
          trustFile: configuration.trustFile
        )
      }
      connections.append(
        RedisConnection(
          context,
          role: attempt.role,
          byteLimit: configuration.replyLimit,
          scripts: pool.scripts,
          secure: secure
        )
      )
    } catch {
      redisFree(context)
      noteFailure(error)
    }
  }

  /// Records that the server could not be reached; further attempts follow after a pause.
  private func noteFailure(_ failure: RedisFailure) {
    failures += 1
    let longest = configuration.longestPause
    let pause = min(Duration.milliseconds(100) * (1 << min(failures - 1, 10)), longest)
    nextAttempt = .now + pause * Double.random(in: 0.75...1.25)
    if !commandConnections().contains(where: { $0.phase == .ready }) { trip(failure) }
  }

  /// Closes a connection.
  private func lose(_ connection: RedisConnection, _ failure: RedisFailure) {
    guard let index = connections.firstIndex(where: { $0 === connection }) else { return }
    connections.remove(at: index)
    if connection.role == .messages { subscribed = [] }
    let receivers = connection.abandon()
    noteFailure(failure)
    fail(receivers, failure)
  }

  private func fail(_ receivers: [RedisConnection.Receiver], _ failure: RedisFailure) {
    for receiver in receivers {
      switch receiver {
      case .caller(let complete, _): complete(.failure(failure))
      case .greeting, .probe, .none: break
      }
    }
  }
}

// MARK: - Commands

extension RedisSession {
  /// Writes the waiting commands to the connections that owe the fewest replies.
  private func dispatch() {
    guard !waiting.isEmpty else { return }
    let ready = commandConnections().filter { $0.phase == .ready }
    guard !ready.isEmpty else { return }
    let jobs = exchange(&waiting, with: [])
    for job in jobs {
      guard let connection = ready.min(by: { $0.pendingCount < $1.pendingCount }) else { return }
      connection.send(
        job.command,
        to: .caller(job.complete, isPatient: job.isPatient),
        deadline: job.deadline
      )
    }
  }

  private func flush() {
    for connection in connections {
      do throws(RedisFailure) {
        try connection.flush()
      } catch {
        lose(connection, error)
      }
    }
  }

  /// Waits for the sockets, a signal, or the next deadline, and handles the events.
  private func wait() {
    var polled = [pollfd(fd: signal, events: Int16(POLLIN), revents: 0)]
    for connection in connections {
      polled.append(pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
    }
    let known = connections
    guard poll(&polled, nfds_t(polled.count), milliseconds(until: nextEvent)) > 0 else { return }
    if polled[0].revents != 0 {
      var count: UInt64 = 0
      _ = Glibc.read(signal, &count, 8)
    }
    for (connection, found) in zip(known, polled.dropFirst()) where found.revents != 0 {
      do throws(RedisFailure) {
        try connection.advance(configuration)
        let received = connection.read()
        var failure = received.failure
        // All of them, also after a failure: the connection no longer has their receivers.
        for (receiver, reply) in received.replies {
          do throws(RedisFailure) {
            try receive(reply, receiver, connection)
          } catch {
            failure = failure ?? error
          }
        }
        if let failure { throw failure }
        try connection.flush()
      } catch {
        lose(connection, error)
      }
    }
  }

  private func milliseconds(until instant: ContinuousClock.Instant?) -> Int32 {
    guard let instant else { return -1 }
    let left = instant - .now
    return left <= .zero ? 0 : Int32(clamping: left.milliseconds + 1)
  }

  private var nextEvent: ContinuousClock.Instant? {
    var instants = waiting.map(\.deadline)
    for connection in connections {
      if let deadline = connection.deadline { instants.append(deadline) }
      if connection.phase != .ready {
        instants.append(connection.began + configuration.connectTimeout)
      } else if let end = stallEnd(of: connection) {
        instants.append(end)
      }
      if connection.role == .messages { instants.append(nextPing) }
    }
    if let nextProbe { instants.append(nextProbe) }
    if missingCount > 0 || isHearing && !hears { instants.append(max(nextAttempt, .now)) }
    return instants.min()
  }

  private func receive(
    _ reply: RedisReply,
    _ receiver: RedisConnection.Receiver,
    _ connection: RedisConnection
  ) throws(RedisFailure) {
    switch receiver {
    case .caller(let complete, _):
      complete(.success(reply))
      if case .error(let text) = reply, RedisReply.isError(text, "READONLY") {
        // It is a replica now: another connection finds out more.
        throw RedisFailure("the server refused a command before it: \(text.prefix(200))")
      }
    case .greeting(let step):
      try greeted(step, reply, connection)
    case .probe(let since):
      if ContinuousClock.now - since <= configuration.timeout { recover() }
    case .none:
      if connection.role == .messages, connection.phase == .ready { hear(reply) }
    }
  }

  private func greeted(
    _ step: RedisConnection.GreetingStep,
    _ reply: RedisReply,
    _ connection: RedisConnection
  ) throws(RedisFailure) {
    if case .error(let text) = reply {
      throw RedisFailure(refusedConnection: text)
    }
    if step == .hello {
      try pool.greeted(reply, run: connection.run)
      connection.becomeReady()
      // A connection is no sign that the server is fast enough again.
      let isSlow = ContinuousClock.now - connection.helloSince > configuration.timeout
      if !isSlow || pool.inbox.withLock({ $0.outage == nil }) { recover() }
      failures = 0
      dispatch()
      return
    }
    guard try connection.greeted(step, reply) else { return }
    if connection.role == .messages {
      connection.becomeReady()
      return
    }
    connection.helloSince = .now
    connection.send(pool.hello(run: connection.run), to: .greeting(.hello))
  }
}

// MARK: - Deadlines

extension RedisSession {
  private func expire() {
    let now = ContinuousClock.now
    var expired: [RedisConnection.Receiver] = []
    for connection in connections {
      expired += connection.expire(now)
      if connection.phase != .ready {
        if now - connection.began > configuration.connectTimeout {
          let limit = configuration.connectTimeout
          lose(connection, RedisFailure("no connection within \(limit.rounded)"))
        }
      } else if let end = stallEnd(of: connection), now > end {
        lose(connection, RedisFailure("the server does not respond"))
      }
    }
    let late = waiting.filter { $0.deadline <= now }
    guard !expired.isEmpty || !late.isEmpty else { return }
    waiting.removeAll { $0.deadline <= now }
    let lateCount =
      expired.count { if case .caller(_, isPatient: false) = $0 { true } else { false } }
      + late.count { !$0.isPatient }
    if lateCount > 0 {
      pool.inbox.withLock { $0.lateCount += lateCount }
      trip(lateness(isPatient: false))
    }
    for receiver in expired {
      let isPatient = if case .caller(_, isPatient: true) = receiver { true } else { false }
      fail([receiver], lateness(isPatient: isPatient))
    }
    for job in late { job.complete(.failure(lateness(isPatient: job.isPatient))) }
  }

  private func lateness(isPatient: Bool) -> RedisFailure {
    let limit = isPatient ? configuration.connectTimeout : configuration.timeout
    return RedisFailure("no answer within \(limit.rounded)")
  }

  /// Lets commands fail at once, until the server answers in time.
  private func trip(_ failure: RedisFailure) {
    var refusal = failure
    refusal.isUnexecuted = true
    let jobs = pool.inbox.withLock { inbox in
      defer { inbox.jobs.removeAll { !$0.isPatient } }
      inbox.outage = refusal
      return inbox.jobs.filter { !$0.isPatient }
    }
    let refused = waiting.filter { !$0.isPatient } + jobs
    waiting.removeAll { !$0.isPatient }
    for job in refused { job.complete(.failure(refusal)) }
    if nextProbe == nil {
      probes = 0
      nextProbe = .now
    }
  }

  /// Connects, and asks the server, without a pause.
  private func hurry() {
    failures = 0
    nextAttempt = .now
    if nextProbe != nil { nextProbe = .now }
  }

  private func recover() {
    failures = 0
    nextProbe = nil
    pool.inbox.withLock { $0.outage = nil }
  }

  /// Checks whether the server responds again, and pings the connection for messages.
  private func probe() {
    let now = ContinuousClock.now
    if let next = nextProbe, next <= now {
      for connection in commandConnections() where connection.phase == .ready {
        connection.send(.words([.text("PING")]), to: .probe(since: now))
      }
      probes += 1
      let pause = min(.milliseconds(50) * (1 << min(probes, 10)), configuration.longestPause)
      nextProbe = now + pause * Double.random(in: 0.75...1.25)
    }
    guard nextPing <= now else { return }
    nextPing = now + Self.pingPause
    for connection in connections where connection.role == .messages && connection.phase == .ready {
      pingListener(connection, now)
    }
  }
}

// MARK: - Messages

extension RedisSession {
  private func pingListener(_ connection: RedisConnection, _ now: ContinuousClock.Instant) {
    connection.send(.words([.text("PING")]), to: .none)
    if now - connection.heard > stall * 3 {
      lose(connection, RedisFailure("the server does not respond"))
    }
  }

  private func adjustSubscriptions(_ wanted: Set<String>) {
    let listener = connections.first { $0.role == .messages && $0.phase == .ready }
    guard let listener, subscribed != wanted else { return }
    let new = wanted.subtracting(subscribed)
    let old = subscribed.subtracting(wanted)
    if !new.isEmpty {
      listener.send(.words([.text("SUBSCRIBE")] + new.map(RedisArgument.text)), to: .none)
    }
    if !old.isEmpty {
      listener.send(.words([.text("UNSUBSCRIBE")] + old.map(RedisArgument.text)), to: .none)
    }
    subscribed = wanted
  }

  private func hear(_ reply: RedisReply) {
    connections.first { $0.role == .messages }?.heard = .now
    guard let words = reply.elements, words.count == 3, let kind = words[0].text,
      let channel = words[1].text
    else { return }
    if kind == "message", let text = words[2].text {
      pool.listener?.message(channel, text)
    } else if kind == "subscribe" {
      pool.listener?.subscribed(channel)
    }
  }
}
#endif
