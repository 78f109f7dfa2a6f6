import Foundation
import FreshetTesting

@testable import Freshet

/// What operations that are swept work with, new each time.
struct SweptWorld: Sendable {
  let folder: TemporaryDirectory
  let clock = VirtualClock()
  let wire: ScriptedTransport
  let flights = Flights()
  let activity = Activity()
  let refreshes = Refreshes()
  let disk: DiskStore
  let models: ModelStore
  let client: Client

  static let large = GeneratedBytes(length: 3_000, seed: 1).bytes(in: 0..<3_000)

  init() async throws {
    let folder = try TemporaryDirectory()
    let disk = DiskStore(directory: folder.file("store"))
    let wire = ScriptedTransport { Self.answer($0) }
    let (clock, flights, activity, refreshes) = (clock, flights, activity, refreshes)
    let session = Authenticator(.bearer("old"), for: [Self.url("/")]) {
      _,
      _ in
      await Task.yield()
      return .bearer("new")
    }
    (self.folder, self.disk, self.wire) = (folder, disk, wire)
    models = ModelStore.inMemory()
    client = Client {
      $0.transport = wire.limited().authenticated(by: session)
      $0.disk = disk
      $0.flights = flights
      $0.activity = activity
      $0.refreshes = refreshes
      $0.memoryThreshold = 1_000
      $0.now = { clock.date }
    }
    for path in ["/old", "/old-large"] {
      _ = try await client.resource(at: Self.url(path)).value
    }
    _ = try await models.save(Person.sample(1))
    clock.advance(by: .seconds(120))
  }

  static func url(_ path: String) -> URL {
    URL(string: "http://a.test\(path)") ?? URL(filePath: "/")
  }

  private static func answer(_ request: Request) -> ScriptedResponse {
    let headers: HTTPHeaders = [
      .eTag: "\"v1\"", .cacheControl: "max-age=60, stale-while-revalidate=600",
    ]
    if request.headers[.ifNoneMatch] != nil { return ScriptedResponse(304, headers: headers) }
    switch request.url.path() {
    case "/old-large", "/large":
      return ScriptedResponse(
        headers: headers,
        chunks: [large.prefix(1_500), large.dropFirst(1_500)]
      )
    case "/moved": return ScriptedResponse(302, headers: [.location: "/list"])
    case "/closed":
      return ScriptedResponse(request.headers[.authorization] == "Bearer new" ? 200 : 401)
    case "/page" where request.url.query() == nil:
      return ScriptedResponse(headers: ["Link": "<?2>; rel=next"], body: Data("[1]".utf8))
    case "/person": return .json(#"{"id": 7, "name": "Ann", "followers_count": 1}"#)
    case "/old", "/new": return ScriptedResponse(headers: headers, body: Data("[1]".utf8))
    default: return .json("[1]")
    }
  }

  /// What is still there although the operation has ended, once it has had time to go.
  func leftovers() async -> [String] {
    refreshes.cancelAll()
    await refreshes.idle()
    _ = await wire.counted { $0.running == 0 }
    // What ends behind the last event of a transfer has no event of its own.
    for _ in 0..<100_000 where !isQuiet { await Task.yield() }
    for _ in 0..<1_000 where !spooled.isEmpty { await Task.yield() }
    var problems: [String] = []
    if flights.count > 0 { problems.append("\(flights.count) flights") }
    if flights.subscriberCount > 0 { problems.append("\(flights.subscriberCount) subscribers") }
    if !activity.isIdle { problems.append("\(activity.count) calls") }
    if clock.sleeperCount > 0 { problems.append("\(clock.sleeperCount) sleepers") }
    problems += spooled.map { "file \($0)" }
    return problems
  }

  private var isQuiet: Bool {
    flights.count == 0 && activity.isIdle && clock.sleeperCount == 0
  }

  private var spooled: [String] {
    let spool = folder.file("store/spool").path
    return (try? FileManager.default.contentsOfDirectory(atPath: spool)) ?? []
  }

  func close() async {
    await disk.close()
    await models.close()
  }
}
