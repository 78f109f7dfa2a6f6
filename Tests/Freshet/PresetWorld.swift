import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// Stores, an origin and a clock for one situation, and what is seen of a fetch in them.
final class PresetWorld: Sendable {
  static let url = "http://a.example/logo"
  static let body = Data("one, the body".utf8)

  let clock = VirtualClock()
  let memory = MemoryStore(configuration: .init(countLimit: 2))
  let disk: DiskStore
  let seeds: SeedStore?
  let transport: ScriptedTransport
  let request: Request
  let policy: ResourcePolicy
  private let readings = Mutex(0)
  private let folder = StoreSandbox()

  init(_ situation: PresetSituation) async throws {
    let clock = clock
    let date = HTTPDate.format(clock.date)
    transport = ScriptedTransport(sequence: situation.answers.map { $0.response(date) })
    disk = DiskStore(directory: folder.url.appending(path: "disk"))
    policy = situation.policy
    var request = try Request(Self.url)
    situation.request(&request)
    self.request = request
    let copy = { (control: String, url: String) in
      try StoredResponse.sample(
        url,
        body: Self.body,
        headers: [.date: date, .eTag: "\"v1\"", .cacheControl: control],
        time: clock.date.timeIntervalSinceReferenceDate
      )
    }
    if let control = situation.seed {
      let place = folder.url.appending(path: "seeds")
      var builder = try SeedBuilder(directory: place)
      try builder.add(try copy(control, Self.url))
      try builder.write()
      seeds = SeedStore(directory: place)
    } else {
      seeds = nil
    }
    if let control = situation.memory { _ = try await memory.keep(try copy(control, Self.url)) }
    // The copy is the one that was unused longest, so that its use shows.
    _ = try await memory.keep(try copy("max-age=60", Self.url + "/other"))
    if let control = situation.disk { _ = try await disk.keep(try copy(control, Self.url)) }
    clock.advance(by: .seconds(situation.age))
  }

  var now: @Sendable () -> Date {
    { [self] in
      readings.withLock { $0 += 1 }
      return clock.date
    }
  }
}

// MARK: - The ways

extension PresetWorld {
  private var client: Client {
    Client {
      $0.transport = transport
      $0.seeds = seeds
      $0.memory = memory
      $0.disk = disk
      $0.now = now
    }
  }

  var preset: ResourceSequence { client.resource(request, policy: policy) }

  /// The preset as the only item of a batch.
  var batch: BatchSequence { client.batch([request], policy: policy).run() }

  /// The preset by the public stages; those that a policy turns off are left out.
  var chain: any AsyncSequence<Event<Resource>, FreshetError> & Sendable {
    var steps: Steps =
      lookups
      .verify(policy.expected)
      .checkExpiry(policy.expiry, limits: policy.staleLimits, now: now)
      .announceStale(policy.stale)
    if policy.network != .forbidden { steps = receiving(steps) }
    steps = steps.verify(policy.expected)
    if policy.persistence == .everywhere {
      steps = steps.persist(in: disk, expiry: policy.expiry)
    }
    if policy.persistence != .nowhere {
      steps = steps.persist(in: memory, expiry: policy.expiry)
    }
    return steps.settle()
  }

  private typealias Steps = any AsyncSequence<Fetch, FreshetError> & Sendable

  private var lookups: Steps {
    var steps: Steps = Fetch.request(request)
    if policy.network == .required { return steps }
    if let seeds { steps = steps.lookup(in: seeds) }
    steps = steps.lookup(in: memory)
    return steps.lookup(in: disk)
  }

  private func receiving(_ steps: Steps) -> Steps {
    var stores: [any ResourceSource] = [memory, disk]
    if let seeds { stores.insert(seeds, at: 0) }
    let wire: any Transport =
      request.method == .get ? transport : transport.invalidating(stores, now: now)
    let spool = policy.persistence == .everywhere ? disk.spool : .temporary
    let validated: Steps = steps.revalidate(
      policy.revalidation,
      over: wire,
      spool: spool,
      now: now
    )
    return validated.download(over: wire, spool: spool, now: now)
  }
}

// MARK: - What is seen

/// All that tells two fetches apart.
struct PresetTrace: Equatable {
  var events: [String] = []
  var error: FreshetError?
  /// What was sent.
  var requests: [String] = []
  /// What the memory keeps after one entry more than it has room for: the order of use.
  var kept: [String] = []
  /// How often the time was asked for.
  var readings = 0
}

extension PresetWorld {
  typealias Events = any AsyncSequence<Event<Resource>, FreshetError> & Sendable

  func trace(_ way: (PresetWorld) -> Events) async throws -> PresetTrace {
    try await finish { trace in
      for try await event in way(self) { trace.events.append(Self.shown(event)) }
    }
  }

  /// The events of the only item of a batch.
  func item(_ way: (PresetWorld) -> BatchSequence) async throws -> PresetTrace {
    try await finish { trace in
      var isFinal = false
      for try await event in way(self) {
        switch event {
        case .progressed(_, let progress): trace.events.append(Self.shown(.progress(progress)))
        case .received(_, let resource):
          isFinal = resource.isFinal
          trace.events.append(Self.shown(.value(resource)))
        // A stale copy that stands in for the failure has come before it.
        case .failed(_, let error): if !isFinal { throw error }
        case .started, .advanced, .finished: break
        }
      }
    }
  }

  func value(_ way: (PresetWorld) async throws -> Resource) async throws -> PresetTrace {
    try await finish { trace in trace.events = [Self.shown(.value(try await way(self)))] }
  }

  private func finish(
    _ body: (inout PresetTrace) async throws -> Void
  ) async throws -> PresetTrace {
    var trace = PresetTrace()
    do {
      try await body(&trace)
    } catch let error as FreshetError {
      trace.error = error
    }
    trace.readings = readings.withLock { $0 }
    trace.requests = transport.requests.map { "\($0.method) \($0.url) \($0.headers)" }
    let third = try StoredResponse.sample(Self.url + "/third")
    _ = try await memory.keep(third)
    trace.kept = try ["", "/other", "/third"]
      .filter { path in
        memory.peek(try Request(Self.url + path)) != nil
      }
    return trace
  }

  private static func shown(_ event: Event<Resource>) -> String {
    guard let resource = event.value else { return "\(event)" }
    let body = (try? resource.text) ?? "no body"
    let end = resource.isFinal ? "final" : "not final"
    return "\(resource.source) \(resource.freshness) \(end) \(resource.status): \(body)\n"
      + resource.explanation.description
  }
}

extension PresetSituation.Answer {
  func response(_ date: String) -> ScriptedResponse {
    let headers: HTTPHeaders = [.date: date, .cacheControl: "max-age=60"]
    return switch self {
    case .same: ScriptedResponse(304, headers: headers.merging([.eTag: "\"v1\""]))
    case .again:
      ScriptedResponse(headers: headers.merging([.eTag: "\"v1\""]), body: PresetWorld.body)
    case .other:
      ScriptedResponse(headers: headers.merging([.eTag: "\"v2\""]), body: Data("two".utf8))
    case .failure: .failure(.connection(.refused, url: PresetWorld.url))
    }
  }
}
