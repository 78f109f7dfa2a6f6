#if Redis && !canImport(Darwin)
public import Freshet
public import FreshetEssentials
import Synchronization

/// A store of responses in a Redis or Valkey server, which several processes and machines share.
///
/// ```swift
/// let shared = try SharedStore("redis://cache.example.org") { $0.prefix = "shop" }
/// let client = Client { $0.shared = shared }
/// ```
///
/// - Making it touches nothing: a thread of its own connects with the first operation, or for a client,
///   which asks for its ``removals``. Each operation
///   waits for the server for ``Configuration/timeout`` at most; one that takes longer, or fails, is a miss
///   or is not stored, and so are the next ones, at once, until the server answers in time again.
/// - A response is stored under the same rules as on disk: with its variants, its partition and its tags.
///   One with `no-store` is never stored. One that is `private`, or depends on credentials or cookies, is only
///   stored in a partition, which identifies its user.
/// - Each write and each removal is one script, which the server executes atomically. A process that dies
///   leaves no partial write.
/// - A removal takes effect immediately for all processes. Responses that were stored before it are not found,
///   and responses that were requested before it are not stored. The server decides the order, without clocks
///   of the machines.
/// - A response whose time is more than a minute ahead of the server, and of a process that has received
///   a response, is replaced: a process whose clock is ahead does not block the others.
/// - Other processes are notified of a removal immediately, see ``removals``.
/// - The server removes a response after its last possible use, see ``Configuration/retention``. A server
///   that was started again, or has evicted the store's control record, begins empty, because removals
///   may have been lost.
/// - The body is compared with its SHA-256 when it is read; a damaged one is a miss and is removed, and so is
///   a damaged record.
public final class SharedStore: SharedResourceStore {
  /// The shared store, see ``/Freshet/Resource/Source/shared``.
  public let source = Resource.Source.shared
  /// The server and the limits.
  public let configuration: Configuration
  /// A Boolean value that indicates whether an error is stored beside the copy of the resource; `true`.
  public var keepsErrorsBeside: Bool { true }
  let pool: RedisPool
  let names: SharedNames
  let hearing: RemovalHearing
  let leases: LeaseHearing
  let now: @Sendable () -> Date
  /// The changes that could not be written, see ``SharedStore/writePending(isPatient:)``.
  let pending = Mutex(Pending())

  /// Makes a store; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - url: The server: `redis://[user[:password]@]host[:port][/database]`, the same with `rediss` for
  ///     TLS, whose certificate must have the name of the host, or `unix:///path` for a socket. The number
  ///     of the database may also be in the query, `?database=1` or `?db=1`.
  ///   - configure: A closure that changes the default configuration, after the settings in the URL.
  ///   - now: The wall clock by which the store counts ages; the system's by default.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the URL is not one of these.
  public init(
    _ url: String,
    _ configure: (inout Configuration) -> Void = { _ in },
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws(FreshetError) {
    var configuration = Configuration()
    let address = try RedisAddress(url, &configuration)
    configure(&configuration)
    let names = SharedNames(configuration)
    let hearing = RemovalHearing(sender: Hexadecimal.unpredictableName(), channel: names.channel)
    self.configuration = configuration
    self.names = names
    self.hearing = hearing
    let leases = LeaseHearing()
    self.leases = leases
    self.now = now
    pool = RedisPool(
      address,
      configuration,
      names,
      RedisScript.shared,
      RedisPool.Listener(
        message: { $0 == names.leases ? leases.hear($1) : hearing.hear($1) },
        subscribed: { $0 == names.leases ? leases.wakeAll() : hearing.recheck() },
        greeted: { hearing.greeted($0, $1) }
      )
    )
    hearing.attach(pool)
  }

  deinit {
    hearing.finish()
    pool.stop()
  }

  /// Connects to the server, and waits for its response.
  ///
  /// Calling it is optional: the first operation connects, but waits at most
  /// ``Configuration/timeout``. During an outage it connects at once. Invalidations that could not be written
  /// are written.
  ///
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if there is no connection within
  ///   ``Configuration/connectTimeout``.
  public func connect() async throws(FreshetError) {
    do throws(RedisFailure) {
      pool.hurry()
      _ = try await pool.send(.words([.text("PING")]), isPatient: true)
      try await writePending(isPatient: true)
    } catch {
      throw (pool.inbox.withLock(\.outage) ?? error).error
    }
  }

  /// Closes the connections for good; the store finds and stores nothing afterwards.
  ///
  /// Before, it tries once more to write invalidations that could not be written; each command may take
  /// ``Configuration/connectTimeout``. A store that is released does the same without them.
  public func close() async {
    if !pending.withLock(\.removals.isEmpty) { pool.hurry() }
    try? await writePending(isPatient: true)
    hearing.finish()
    pool.stop()
  }

  /// The reason why the store finds and stores nothing at the moment; `nil` if it does, or was not used
  /// yet.
  ///
  /// It is not `nil` as long as an invalidation could not be written, see ``invalidate(_:at:)``.
  public var outage: String? {
    if let outage = pool.inbox.withLock(\.outage) { return outage.reason }
    return pending.withLock(\.removals.isEmpty) ? nil : "an invalidation has not been written yet"
  }

  /// The removals that processes have made, from now on, see ``/Freshet/SharedResourceStore``.
  ///
  /// They arrive within milliseconds. After a lost connection, the missed ones arrive when it is established
  /// again, or ``/Freshet/StoreRemoval/missed`` if there were more than 1,024.
  public var removals: AsyncStream<StoreRemoval> { hearing.makeStream() }

  /// Returns the generation, connecting if necessary.
  func generation() async throws(RedisFailure) -> RedisPool.Generation {
    if let known = pool.inbox.withLock({ $0.generation }) { return known }
    _ = try await pool.send(.words([.text("PING")]))
    guard let known = pool.inbox.withLock({ $0.generation }) else {
      throw RedisFailure("the server's control record cannot be read")
    }
    return known
  }

  /// Begins a new generation, unless another process has, after the server has lost the control record.
  @discardableResult
  func beginGeneration() async throws(RedisFailure) -> RedisPool.Generation {
    let run = pool.inbox.withLock { $0.generation?.run } ?? ""
    let reply = try await pool.send(pool.hello(run: run))
    return try pool.greeted(reply, run: run)
  }
}
#endif
