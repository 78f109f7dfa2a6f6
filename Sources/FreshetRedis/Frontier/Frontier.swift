#if Redis && !canImport(Darwin)
public import Freshet
public import FreshetEssentials
import Synchronization

/// A queue of requests in a Redis or Valkey server that many workers fetch together, such as a crawler's.
///
/// ```swift
/// let frontier = Frontier("crawl", in: shared)
/// try await frontier.add(urls)
/// try await frontier.close()
/// for try await event in client.batch(from: frontier).run() { … }
/// ```
///
/// - Making it touches nothing. All processes that give the same name and a store of the same server and
///   prefix have the same frontier; it has a connection of its own.
/// - Each request is added once, however often it is given; its URL counts without the fragment.
/// - Each request is fetched at least once, and ends exactly once: it is acknowledged after the run that
///   fetched it has stored its response, or it is dead after ``Configuration/attemptLimit`` attempts, or after
///   one whose failure would only be repeated, such as a 404.
/// - The requests of a worker that has died are taken over by others after ``Configuration/lease``. A run
///   that is cancelled gives them back at once.
/// - Runs end when the frontier is closed and all of its requests have ended, also those of other workers.
/// - While the server does not answer, a run pauses, and continues by itself. It fails if the server refuses
///   the user or the password.
public final class Frontier: BatchQueue {
  /// The name, which is part of the names of the keys in the server.
  public let name: String
  /// The limits of the work.
  public let configuration: Configuration
  /// The keys in the server, in the order in which the scripts name them.
  let keys: [String]
  private let pool: RedisPool

  /// The key of the requests that have failed for good.
  private var deadKey: String { keys[2] }

  /// Makes a frontier; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - name: The name of the frontier.
  ///   - store: A store in the server that has the frontier; its address, user and prefix are used.
  ///   - configure: Changes the default configuration.
  public init(
    _ name: String,
    in store: SharedStore,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration()
    configure(&configuration)
    self.name = name
    self.configuration = configuration
    let prefix = "\(store.configuration.prefix):frontier:\(name)"
    keys = ["queue", "state", "dead", "later", "seen"].map { "\(prefix):\($0)" }
    var server = store.configuration
    // Nothing waits for these commands but the work itself.
    server.timeout = max(server.timeout, .seconds(5))
    server.connectionCount = 1
    pool = RedisPool(store.pool.address, server, store.names, RedisScript.frontier)
  }

  deinit {
    pool.stop()
  }

  /// Makes the consumer of one run, see ``/Freshet/BatchQueue``.
  public func makeConsumer() -> any BatchQueueConsumer {
    FrontierConsumer(self)
  }
}

// MARK: - Requests

extension Frontier {
  /// Adds `GET`s of URLs, each that is new.
  ///
  /// - Parameter urls: Absolute `http` or `https` URLs.
  /// - Returns: The number of new ones; those that were added before the connection was lost do not count.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time: some may have
  ///   been added, and all can be added again; or if the frontier has ended.
  @discardableResult
  public func add(_ urls: some Sequence<URL>) async throws(FreshetError) -> Int {
    try await add(urls.map { Request(.get, $0) })
  }

  /// Adds requests, each that is new.
  ///
  /// The method, the URL, the header fields and the limits of a request are stored; the values of
  /// credentials, cookies and the request's ``/Freshet/RedirectPolicy/secretHeaders`` are not: give them to
  /// the workers' clients.
  ///
  /// - Parameter requests: Requests without a body.
  /// - Returns: The number of new ones; those that were added before the connection was lost do not count.
  /// - Throws: ``/Freshet/FreshetError/invalidRequest(_:url:)`` for one with a body, before any is added;
  ///   ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time: some may have been
  ///   added, and all can be added again; or if the frontier has ended.
  @discardableResult
  public func add(_ requests: some Sequence<Request>) async throws(FreshetError) -> Int {
    var words: [RedisArgument] = []
    for request in requests {
      let body = try FrontierBody(request)
      words += [.data(body.key), .data(body.data)]
    }
    var count = 0
    // Portions, because a script keeps everybody else waiting.
    for start in stride(from: 0, to: words.count, by: 2 * 500) {
      let portion = words[start..<min(start + 2 * 500, words.count)]
      let id = RedisArgument.text(Hexadecimal.unpredictableName())
      let reply = try await patiently(.frontierAdd, [id] + portion)
      guard let added = reply.number, added >= 0 else {
        throw .store("the frontier has ended")
      }
      count += Int(added)
    }
    return count
  }

  /// Closes the frontier: runs end when all requests have ended.
  ///
  /// Until then requests can be added all the same, such as the links of a page that is being processed.
  ///
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time.
  public func close() async throws(FreshetError) {
    _ = try await patiently(.frontierClose, [.text(Hexadecimal.unpredictableName())])
  }

  /// Removes everything that the server has of the frontier; runs of it fail.
  ///
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not confirmed it in time.
  public func removeAll() async throws(FreshetError) {
    _ = try await patiently(.frontierRemove, [])
  }
}

// MARK: - Progress

extension Frontier {
  /// Returns the progress of all workers together.
  ///
  /// - Returns: The progress at this moment.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not answered in time.
  public func progress() async throws(FreshetError) -> FrontierProgress {
    let reply = try await patiently(.frontierProgress, [])
    guard let progress = FrontierProgress(reply) else { throw RedisFailure.unreadable.error }
    return progress
  }

  /// The progress of all workers together, whenever it has changed, until the frontier has ended.
  ///
  /// While the server does not answer there is none.
  ///
  /// - Parameters:
  ///   - interval: The time between two looks at the server; a second by default, 10 ms at least.
  ///   - clock: The clock that waits; the system's by default.
  /// - Returns: A sequence that has the newest progress only. It ends after one that has ended, and when the
  ///   frontier was removed, the server has lost it, or refuses the command.
  public func progressUpdates(
    every interval: Duration = .seconds(1),
    clock: any Clock<Duration> = ContinuousClock()
  ) -> AsyncStream<FrontierProgress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let watch = Task {
        var last: FrontierProgress?
        var id = ""
        while !Task.isCancelled {
          do throws(RedisFailure) {
            let reply = try await self.run(.frontierProgress, [])
            guard let progress = FrontierProgress(reply), let newID = reply.elements?.last?.text,
              id.isEmpty || newID == id
            else { break }
            id = newID
            if progress != last { continuation.yield(progress) }
            last = progress
            if progress.hasEnded { break }
          } catch {
            if error.isFinal { break }
          }
          try? await clock.sleep(for: interval.bounded(from: .shortestPause))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in watch.cancel() }
    }
  }

  /// Returns the requests that have failed for good, oldest first.
  ///
  /// - Parameter limit: The largest number of them; 1,000 by default.
  /// - Returns: The requests.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the server has not answered in time.
  public func deadRequests(limit: Int = 1_000) async throws(FreshetError) -> [DeadRequest] {
    let limit = max(1, limit)
    var requests: [DeadRequest] = []
    var start = "-"
    while requests.count < limit {
      // Portions, because a reply has a limit.
      let count = min(limit - requests.count, 1_000)
      let words: [RedisArgument] = [
        .text("XRANGE"), .text(deadKey), .text(start), .text("+"), .text("COUNT"), .number(count),
      ]
      let entries = try await patiently(.words(words)).elements ?? []
      requests += entries.compactMap { DeadRequest($0) }
      guard entries.count == count, let last = entries.last?.elements?.first?.text else { break }
      start = "(\(last)"
    }
    return requests
  }
}

// MARK: - Scripts

extension Frontier {
  /// Runs a script once.
  func run(
    _ script: RedisScript,
    _ arguments: [RedisArgument]
  ) async throws(RedisFailure) -> RedisReply {
    try await pool.run(script, keys, arguments)
  }

  /// Runs a script that does no harm when it is executed twice, and again after failures.
  private func patiently(
    _ script: RedisScript,
    _ arguments: [RedisArgument]
  ) async throws(FreshetError) -> RedisReply {
    try await patiently(.script(script, keys: keys, arguments))
  }

  private func patiently(_ command: RedisCommand) async throws(FreshetError) -> RedisReply {
    let deadline = ContinuousClock.now + configuration.timeout
    var pause = Duration.milliseconds(50)
    while true {
      let (left, usual) = (deadline - .now, pool.configuration.timeout)
      do throws(RedisFailure) {
        return try await pool.send(
          command,
          timeout: max(.zero, min(left, usual)),
          // A short limit is no sign that the server is slow for others.
          isPatient: left < usual
        )
      } catch {
        if Task.isCancelled { throw .cancelled }
        // Who is patient is not told of an outage.
        let error = error.isRefusal ? error : pool.inbox.withLock(\.outage) ?? error
        guard !error.isFinal, ContinuousClock.now + pause < deadline else {
          throw error.error
        }
      }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, .seconds(1))
    }
  }
}
#endif
