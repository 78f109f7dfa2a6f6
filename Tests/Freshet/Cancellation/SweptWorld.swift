import Foundation
import FreshetModels
import FreshetTesting
import Synchronization
import TestSupport

@testable import Freshet

/// What operations that are swept work with, new each time.
struct SweptWorld: Sendable {
  let folder: TemporaryDirectory
  /// What the date is read from.
  let clock = VirtualClock()
  /// What pauses are waited on.
  let pauses = VirtualClock()
  let wire: ScriptedTransport
  let origin: SweptOrigin
  let coalescer = Coalescer()
  let activity = ClientActivity()
  let diagnostics = Diagnostics()
  let refreshes = Refreshes()
  let disk: DiskStore
  let models: ModelStore
  let client: Client
  private let ticker: Task<Void, Never>?

  // `passesTime` says whether pauses end.
  init(passesTime: Bool = true) async throws {
    let folder = try TemporaryDirectory()
    let origin = SweptOrigin()
    let disk = DiskStore(directory: folder.file("store"))
    let wire = ScriptedTransport { origin.answer($0) }
    let (clock, pauses, coalescer, activity) = (clock, pauses, coalescer, activity)
    let (diagnostics, refreshes) = (diagnostics, refreshes)
    let session = Authenticator(.bearer("old"), for: [Self.url("/")]) { _, _ in
      await Task.yield()
      return .bearer("new")
    }
    (self.folder, self.origin, self.disk, self.wire) = (folder, origin, disk, wire)
    models = ModelStore(directory: folder.file("models"))
    client = Client {
      $0.transport = wire.limited().authenticated(by: session)
      $0.baseURL = Self.url("/")
      $0.disk = disk
      $0.coalescer = coalescer
      $0.activity = activity
      $0.diagnostics = diagnostics
      $0.refreshes = refreshes
      $0.retry = .standard
      $0.demo = DemoTransport(directory: folder.url, clock: pauses)
      $0.memoryThreshold = 1_000
      $0.clock = pauses
      $0.now = { clock.date }
    }
    ticker =
      passesTime
      ? Task { while await pauses.sleepers(count: 1) { pauses.advance() } }
      : nil
    for path in ["/old", "/old-large"] {
      _ = try await client.resource(at: Self.url(path)).value
    }
    clock.advance(by: .seconds(120))
  }

  static func url(_ path: String) -> URL {
    URL(string: "http://a.test\(path)") ?? URL(filePath: "/")
  }

  static func request(_ path: String) -> Request { Request(.get, url(path)) }

  /// The client, of whose calls one goes at a time.
  var narrow: Client {
    Client {
      $0 = client.configuration
      $0.scheduler = RequestScheduler { $0.total = 1 }
    }
  }
}

// MARK: - What is left

extension SweptWorld {
  /// What is still there although the operation has ended, once it has had time to go, and whether
  /// others can still work; nothing can be done in this world afterwards.
  func leftovers() async -> [String] {
    refreshes.cancelAll()
    await refreshes.idle()
    _ = await wire.counted { $0.running == 0 }
    // What ends behind the last event of a transfer has no event of its own.
    await settle { remains.isEmpty }
    let failures = await unsound()
    let problems = await lasting() + failures
    await close()
    await settle { openDescriptors(below: folder.url) == 0 }
    let open = openDescriptors(below: folder.url)
    return problems + (open > 0 ? ["\(open) descriptors"] : [])
  }

  /// What remains for good: who was cancelled before it began may still come, and go.
  private func lasting() async -> [String] {
    var left = remains
    await settle {
      left = remains
      return left.isEmpty
    }
    return left
  }

  /// Waits until it is so; a minute is more than the slowest machine takes.
  private func settle(_ isSettled: () -> Bool) async {
    let limit = ContinuousClock.now + .seconds(60)
    while !isSettled(), ContinuousClock.now < limit { await Task.yield() }
  }

  /// What fails of what everybody else may do.
  private func unsound() async -> [String] {
    origin.hold(from: nil)
    do {
      guard try await client.send(Self.request("/sound")).value.status == 200 else {
        return ["another status"]
      }
      // A request as the operation may have had under way, so that it meets what is left of that.
      _ = try await client.resource(Self.request("/large")).value.data()
      // A store of models that nobody has opened needs none.
      guard FileManager.default.fileExists(atPath: folder.file("models").path) else { return [] }
      _ = try await models.save(Person.sample(9))
      guard try await models.model(Person.self, id: 9) != nil else { return ["no model"] }
      return []
    } catch {
      return ["the next call: \(error)"]
    }
  }

  private var remains: [String] {
    let sleepers = clock.sleeperCount + pauses.sleeperCount
    let counts = [
      ("shared fetches", coalescer.count), ("subscribers", coalescer.subscriberCount),
      ("calls", activity.count), ("sleepers", sleepers),
    ]
    // A partial download becomes a spooled one, and not the other way round.
    return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
      + locked.map { "locked \($0)" } + spooled.map { "file \($0)" }
  }

  private var spooled: [String] { names(in: "store/spool") }

  /// The partial downloads that somebody still holds.
  private var locked: [String] {
    names(in: "store/partial")
      .filter { name in
        guard name.hasSuffix(".part"),
          let file = try? OpenFile(folder.file("store/partial/\(name)").path, O_RDWR)
        else { return false }
        return !file.tryLock()
      }
  }

  private func names(in path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.file(path).path)) ?? []
  }

  private func close() async {
    ticker?.cancel()
    await disk.close()
    await models.close()
  }
}
