#if Redis && !canImport(Darwin)
import CHiredis
import Freshet
import FreshetEssentials
import Synchronization

/// The connections to a server, on a thread of their own.
///
/// - The thread starts with the first command, and ends after ``stop()``.
/// - A command that has no reply by its deadline fails, and so do all further ones, at once, until the
///   server has answered a probe in time, or a new connection is established.
final class RedisPool: Sendable {
  /// A command that waits for a connection.
  struct Job: Sendable {
    var command: RedisCommand
    let deadline: ContinuousClock.Instant
    /// A Boolean value that indicates whether it waits for its deadline during an outage, too.
    var isPatient = false
    var complete: @Sendable (Result<RedisReply, RedisFailure>) -> Void
  }

  /// The generation of what the server has stored, and the salt of the varying fields.
  struct Generation: Sendable, Hashable {
    let name: String
    let salt: String
    let run: String
  }

  /// An attempt to connect that has ended on another thread.
  struct Attempt: Sendable {
    let role: RedisConnection.Role
    /// The address of the `redisContext`, which the receiver owns.
    let address: UInt
  }

  struct Inbox: Sendable {
    var jobs: [Job] = []
    var attempts: [Attempt] = []
    var channels: Set<String> = []
    var isStarted = false
    var isStopped = false
    var hasSignal = false
    /// The `eventfd` that wakes the thread, since the thread was first started.
    var signal: Int32?
    /// A Boolean value that indicates whether to connect without a pause.
    var isHurried = false
    /// The reason why commands fail at once; `nil` while they are sent.
    var outage: RedisFailure?
    var generation: Generation?
    /// The number of commands that had no reply in time.
    var lateCount = 0
  }

  /// The events that a store reacts to, on the pool's thread.
  struct Listener: Sendable {
    /// A message, on a channel.
    let message: @Sendable (_ channel: String, _ text: String) -> Void
    /// A channel is subscribed to: messages may have been missed before.
    let subscribed: @Sendable (_ channel: String) -> Void
    /// The server has reported its generation and the number of the last removal.
    let greeted: @Sendable (_ generation: String, _ number: Int64) -> Void
  }

  let address: RedisAddress
  let configuration: SharedStore.Configuration
  let names: SharedNames
  /// The scripts that each connection for commands loads.
  let scripts: [RedisScript]
  let listener: Listener?
  let inbox = Mutex(Inbox())
  private let makeSignal: @Sendable () -> Int32

  init(
    _ address: RedisAddress,
    _ configuration: SharedStore.Configuration,
    _ names: SharedNames,
    _ scripts: [RedisScript],
    _ listener: Listener? = nil,
    makeSignal: @escaping @Sendable () -> Int32 = RedisPool.newSignal
  ) {
    self.address = address
    self.configuration = configuration.bounded
    self.names = names
    self.scripts = scripts
    self.listener = listener
    self.makeSignal = makeSignal
  }

  deinit {
    if let signal = inbox.withLock(\.signal) { close(signal) }
  }

  /// Makes an `eventfd`; negative if that fails.
  static func newSignal() -> Int32 {
    eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
  }

  /// Ends the thread; commands fail from now on.
  func stop() {
    let jobs = inbox.withLock { inbox in
      inbox.isStopped = true
      // A thread that runs takes them itself.
      guard !inbox.isStarted else { return [Job]() }
      defer { inbox.jobs = [] }
      return inbox.jobs
    }
    wake()
    for job in jobs { job.complete(.failure(.closed)) }
  }

  /// Sends a command and waits for its reply.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - timeout: The longest time to wait; that of the configuration by default, for a patient command
  ///     as long as for connecting.
  ///   - isPatient: A Boolean value that indicates whether it waits during an outage, too; `false` by
  ///     default.
  /// - Returns: The reply.
  /// - Throws: ``RedisFailure`` if there is no reply in time, or the reply is an error.
  func send(
    _ command: RedisCommand,
    timeout: Duration? = nil,
    isPatient: Bool = false
  ) async throws(RedisFailure) -> RedisReply {
    let usual = isPatient ? configuration.connectTimeout : configuration.timeout
    let deadline = ContinuousClock.now + (timeout ?? usual)
    let result: Result<RedisReply, RedisFailure> = await withCheckedContinuation { continuation in
      submit(
        Job(command: command, deadline: deadline, isPatient: isPatient) {
          continuation.resume(returning: $0)
        }
      )
    }
    let reply = try result.get()
    if case .error(let text) = reply { throw Self.failure(text) }
    return reply
  }

  private static func failure(_ error: String) -> RedisFailure {
    RedisReply.isError(error, "OOM")
      ? RedisFailure("the server's memory is full", isUnexecuted: true)
      : RedisFailure(refused: error)
  }

  func run(
    _ script: RedisScript,
    _ keys: [String],
    _ arguments: [RedisArgument],
    timeout: Duration? = nil,
    isPatient: Bool = false
  ) async throws(RedisFailure) -> RedisReply {
    try await send(
      .script(script, keys: keys, arguments),
      timeout: timeout,
      isPatient: isPatient
    )
  }

  /// Sends a script, and waits for nothing.
  func post(_ script: RedisScript, _ keys: [String], _ arguments: [RedisArgument]) {
    let command = RedisCommand.script(script, keys: keys, arguments)
    submit(Job(command: command, deadline: .now + configuration.timeout) { _ in })
  }

  /// Sends a script until the server has executed it, also after an outage, and waits for nothing.
  ///
  /// - Parameters:
  ///   - script: The script, which may be executed twice.
  ///   - keys: Its keys.
  ///   - arguments: Its arguments.
  ///   - limit: The time after which it is of no use.
  func insist(
    _ script: RedisScript,
    _ keys: [String],
    _ arguments: [RedisArgument],
    for limit: Duration
  ) {
    Task {
      let deadline = ContinuousClock.now + limit
      var pause = Duration.milliseconds(50)
      while !inbox.withLock(\.isStopped) {
        let left = deadline - .now
        guard left > .zero else { return }
        do throws(RedisFailure) {
          _ = try await run(script, keys, arguments, timeout: left, isPatient: true)
          return
        } catch {
          try? await Task.sleep(for: min(pause, left))
          pause = min(pause * 2, configuration.longestPause)
        }
      }
    }
  }

  /// Sends a command; a script that the server has lost, again with its source.
  private func submit(_ job: Job) {
    var attempt = job
    attempt.complete = { [self] result in
      guard case .success(.error(let text)) = result, RedisReply.isError(text, "NOSCRIPT")
      else { return job.complete(result) }
      var again = job
      again.command = job.command.withSource
      enqueue(again)
    }
    enqueue(attempt)
  }

  private func enqueue(_ job: Job) {
    let refusal: RedisFailure? = inbox.withLock { inbox in
      if inbox.isStopped { return RedisFailure.closed }
      if let outage = inbox.outage, !job.isPatient { return outage }
      inbox.jobs.append(job)
      return nil
    }
    if let refusal {
      job.complete(.failure(refusal))
    } else {
      wake()
    }
  }

  /// Returns the command that reads the control record, and makes one where the server has none.
  func hello(run: String) -> RedisCommand {
    let words = [run, Hexadecimal.unpredictableName(), Hexadecimal.unpredictableName()]
    return .script(.hello, keys: [names.control, names.log], words.map(RedisArgument.text))
  }

  /// Takes the reply to ``hello(run:)``.
  @discardableResult
  func greeted(_ reply: RedisReply, run: String) throws(RedisFailure) -> Generation {
    guard let found = reply.elements, found.count == 3, let name = found[0].text,
      let salt = found[1].text, let number = found[2].number
    else { throw RedisFailure("the server's control record cannot be read") }
    let generation = Generation(name: name, salt: salt, run: run)
    inbox.withLock { $0.generation = generation }
    listener?.greeted(name, number)
    return generation
  }

  /// Ends the pause between attempts to connect.
  func hurry() {
    inbox.withLock { $0.isHurried = true }
    wake()
  }

  /// Subscribes to a channel, or ends that.
  func subscribe(_ channel: String, isWanted: Bool) {
    inbox.withLock { inbox in
      if isWanted { inbox.channels.insert(channel) } else { inbox.channels.remove(channel) }
    }
    wake()
  }

  /// Wakes the thread, and starts it if it has something to do for the first time.
  func wake() {
    let (starts, signal) = inbox.withLock { inbox in
      let starts =
        !inbox.isStarted && !inbox.isStopped
        && !(inbox.jobs.isEmpty && inbox.channels.isEmpty)
      if starts { inbox.isStarted = true }
      defer { inbox.hasSignal = true }
      return (starts, starts || inbox.hasSignal ? nil : inbox.signal)
    }
    if starts { start() }
    guard let signal else { return }
    var one: UInt64 = 1
    _ = write(signal, &one, 8)
  }

  private func start() {
    do throws(RedisFailure) {
      let signal = try signal()
      do throws(DetachedThreadFailure) {
        try DetachedThread.start(name: "freshet.redis") { RedisSession(self, signal).work() }
      } catch {
        throw RedisFailure(error.reason)
      }
    } catch {
      let jobs = inbox.withLock { inbox in
        defer { inbox.jobs = [] }
        inbox.isStarted = false
        return inbox.jobs
      }
      for job in jobs { job.complete(.failure(error)) }
    }
  }

  /// Returns the `eventfd`, making it for the first thread that is started.
  private func signal() throws(RedisFailure) -> Int32 {
    if let signal = inbox.withLock(\.signal) { return signal }
    let signal = makeSignal()
    guard signal >= 0 else {
      throw RedisFailure("cannot wake the connections' thread: \(String(cString: strerror(errno)))")
    }
    inbox.withLock { $0.signal = signal }
    return signal
  }
}

/// The names of the keys and channels in the server.
struct SharedNames: Sendable {
  let control: String
  let log: String
  let bodies: String
  let channel: String
  /// The channel on which the ends of leases are told.
  let leases: String
  private let prefix: String

  init(_ configuration: SharedStore.Configuration) {
    prefix = configuration.prefix
    control = "\(prefix):control"
    log = "\(prefix):log"
    bodies = "\(prefix):body:"
    // Channels, unlike keys, are the same in all databases.
    channel = "\(prefix):\(configuration.database):removals"
    leases = "\(prefix):\(configuration.database):leases"
  }

  /// The pattern that the names of all entries match.
  var entries: String {
    let special: Set<Character> = ["\\", "*", "?", "[", "]"]
    return prefix.map { special.contains($0) ? "\\\($0)" : "\($0)" }.joined() + ":entry:*"
  }

  func lease(_ name: String) -> String { "\(prefix):lease:\(name)" }

  /// The key of a lease that is given back before it was granted.
  func withdrawal(_ token: String) -> String { "\(prefix):withdrawal:\(token)" }

  func rate(_ origin: String) -> String { "\(prefix):rate:\(origin)" }

  func entry(_ key: CacheKey) -> String { "\(prefix):entry:\(SharedMarks.entry(key))" }
}
#endif
