#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetModels
import FreshetTesting
import Synchronization
import TestSupport

/// The clients and stores that all tasks of a storm share.
final class StormWorld: Sendable {
  let subject: Subject
  let models: ModelStore
  let folders: [URL]
  private let transport: any Transport
  private let base: URL
  private let shares: Mutex<[StormShare]>

  init(_ server: ServerProcess, in folder: URL) {
    base = server.url("/")
    transport = CurlTransport { $0.proxy = .none }
    let disk = folder.appending(path: "disk", directoryHint: .isDirectory)
    // The memory has room for a part, so that the disk is asked too, and is full soon.
    subject = Subject(
      transport,
      in: disk,
      threshold: 20_000,
      limits: Subject.Limits(memory: 1 << 20, count: 64, disk: 8 << 20),
      baseURL: base
    )
    models = ModelStore(directory: folder.appending(path: "models"))
    folders = Subject.spools(of: disk)
    shares = Mutex([])
  }

  func request(_ target: StormTarget) -> Request {
    Request(.get, base.appending(path: target.path))
  }

  /// A client with stores or without, mostly one that others use too; one that is released with the
  /// attempt, and rarely a transport of its own with it.
  func client(using generator: inout SeededGenerator) -> Client {
    let dice = Int.random(in: 0..<64, using: &generator)
    guard dice < 6 else { return dice % 3 == 0 ? subject.homeless : subject.client }
    let own: any Transport = dice == 0 ? CurlTransport { $0.proxy = .none } : transport
    let (disk, activity) = (dice < 3 ? nil : subject.disk, subject.activity)
    return Client {
      $0.transport = own
      $0.disk = disk
      $0.activity = activity
      $0.baseURL = base
      $0.memoryThreshold = 20_000
    }
  }

  /// A pipeline that other tasks read too; it is replaced now and then, for one that has ended repeats
  /// itself.
  func share(using generator: inout SeededGenerator) -> StormShare {
    let place = Int.random(in: 0..<4, using: &generator)
    let isNew = Int.random(in: 0..<4, using: &generator) == 0
    let target = StormTarget.random(.stale, using: &generator)
    return shares.withLock { shares in
      if shares.count <= place {
        let share = StormShare(subject.client.resource(request(target)), target)
        shares.append(share)
        return share
      }
      if isNew { shares[place] = StormShare(subject.client.resource(request(target)), target) }
      return shares[place]
    }
  }

  /// Releases what is shared, and waits until nothing is on its way; what still is after the time.
  func settle(seconds: Double) async -> [String] {
    shares.withLock { $0.removeAll() }
    let deadline = Date(timeIntervalSinceNow: seconds)
    while !subject.leftovers.isEmpty, Date() < deadline {
      try? await Task.sleep(for: .milliseconds(2))
    }
    return subject.leftovers
  }

  /// Fetches everything whole by these clients, in every way; then no file is left in a spool.
  ///
  /// Each fetch validates its copy: a body that another client has begun, and left, may be partial beside a
  /// fresh one until then.
  func lookBack() async -> (count: Int, problems: [String]) {
    var (count, problems) = (0, [String]())
    for target in StormTarget.all where target.number < 4 {
      var request = request(target)
      request.headers[.cacheControl] = "no-cache"
      for operation in Operation.allCases {
        let client = subject.client(for: operation)
        let ending = await operation.run(request, with: client, seconds: 30)
        count += 1
        guard case .value(let data, 200, _) = ending, target.isRight(data) else {
          problems.append("afterwards \(operation), \(target.path): \(ending)")
          continue
        }
      }
    }
    let listed = await Race.first(within: 30) { [subject] in
      (try? await subject.client.call(ListSamples()).output)
        .map { $0.count == StormOrigin.sampleNumbers.count && ListSamples.areRight($0) } ?? false
    }
    count += 1
    if listed != true { problems.append("afterwards the list of models is \(listed as Any)") }
    let files = folders.flatMap { Census.files(in: $0) }
    problems += files.map { "left behind: \($0)" }
    return (count, problems)
  }

  func close() async {
    await subject.disk.close()
    await models.close()
  }
}

/// A shared fetch, and what it fetches.
struct StormShare: Sendable {
  let target: StormTarget
  let value: @Sendable () async throws(FreshetError) -> Resource

  init(_ resources: ResourceSequence, _ target: StormTarget) {
    let shared = resources.share()
    self.target = target
    value = { () async throws(FreshetError) in try await shared.value }
  }
}

/// The call that brings a storm's models.
struct ListSamples: Endpoint {
  typealias Output = [Sample]
  var path: RequestPath { "samples" }

  /// Whether these may have been saved, whichever of several answers they are from.
  static func areRight(_ samples: [Sample]) -> Bool {
    samples.allSatisfy { sample in
      let part = "sample \(sample.id) "
      return !sample.name.isEmpty
        && sample.name == String(repeating: part, count: sample.name.count / part.count)
    }
  }
}
#endif
