#if Redis && !canImport(Darwin)
import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet
@testable import FreshetRedis

/// Clients that share their fetches through a store, as processes do.
@Suite(.besideRedis, .timeLimit(.minutes(5))) struct CoalesceAcrossTests {
  static let url = "https://a.example/logo"
  /// Times that no test reaches, so that only events go on.
  static let patient = SharedStore.Coalescing(lease: .seconds(120), wait: .seconds(120))

  /// An origin whose responses wait at a gate.
  private final class Origin: Sendable {
    let gate = Gate()
    let requests = Mutex(0)
    private let control: String

    init(_ control: String = "max-age=600") {
      self.control = control
    }

    var headers: HTTPHeaders { [.cacheControl: control, .eTag: "\"1\""] }
    var count: Int { requests.withLock(\.self) }

    var transport: ScriptedTransport {
      ScriptedTransport { request in
        let number = self.requests.withLock { count in
          count += 1
          return count
        }
        return .versioned(1, self.control, body: "\(number)", to: request).waiting(for: self.gate)
      }
    }

    func client(_ shared: SharedStore, _ directory: URL? = nil) -> Client {
      Client {
        $0.transport = transport
        $0.disk = directory.map { DiskStore(directory: $0) }
        $0.shared = shared
      }
    }

    func chain(
      _ request: Request,
      _ shared: SharedStore,
      _ limits: SharedStore.Coalescing = patient
    ) -> FetchChain {
      Fetch.request(request)
        .lookup(in: shared)
        .checkExpiry(.http)
        .coalesce(across: shared, limits)
        .revalidate(over: transport)
        .download(over: transport)
        .persist(in: shared)
    }
  }

  /// Starts a fetch with each store, lets the origin answer once all but one wait, and returns the
  /// resources.
  private func fetchAll(
    _ origin: Origin,
    _ stores: [SharedStore],
    _ request: Request,
    onDiskIn directory: URL? = nil
  ) async throws -> [Resource] {
    let fetches = stores.map { store in
      let client = origin.client(store, directory)
      return Task { try await client.resource(request).value }
    }
    let isWaiting = try await eventually {
      origin.gate.waitingCount > 0
        && stores.map(\.leases.waitingCount).reduce(0, +) == stores.count - 1
    }
    #expect(isWaiting)
    origin.gate.open()
    var resources: [Resource] = []
    for fetch in fetches { resources.append(try await fetch.value) }
    return resources
  }

  private func stores(
    _ world: SharedWorld,
    _ count: Int,
    _ limits: SharedStore.Coalescing = patient,
    timeout: Duration = .seconds(60),
    bodyLimit: Int = 1 << 20
  ) async throws -> [SharedStore] {
    var stores: [SharedStore] = []
    for _ in 0..<count {
      stores.append(
        try await world.connected {
          $0.timeout = timeout
          $0.bodyLimit = bodyLimit
          $0.coalescing = limits
        }
      )
    }
    return stores
  }

  /// The name of the lease of a request.
  private func name(_ request: Request, _ store: SharedStore) async throws -> String {
    var wanted: Fetch?
    for try await step in Fetch.request(request) { wanted = step }
    let question = try #require(wanted.flatMap { Fetch.Question($0) })
    return question.digest(salt: try await store.generation().salt)
  }

  @Test func `of ten clients one downloads, and the others get what it stores`() async throws {
    let world = try await SharedWorld()
    let origin = Origin()

    let resources = try await fetchAll(origin, stores(world, 10), Request(Self.url))

    #expect(origin.count == 1)
    #expect(try resources.allSatisfy { try $0.text == "1" })
    #expect(resources.count { $0.source == .network } == 1)
    let waited = resources.filter { $0.source == .shared }
    #expect(waited.count == 9)
    #expect(waited.allSatisfy { "\($0.explanation)".contains("for another process") })
    #expect(try await world.server.command("KEYS", "*:lease:*").isEmpty)
  }

  @Test func `what is too large for the store is found on a disk that the clients share`()
    async throws
  {
    let world = try await SharedWorld()
    let origin = Origin()
    let stores = try await stores(world, 3, bodyLimit: 0)

    try await TemporaryDirectory.scope { directory in
      let resources = try await fetchAll(
        origin,
        stores,
        Request(Self.url),
        onDiskIn: directory.url
      )

      #expect(origin.count == 1)
      #expect(try resources.allSatisfy { try $0.text == "1" })
      #expect(resources.count { $0.source == .disk } == 2)
      #expect(resources.count { "\($0.explanation)".contains("for another process") } == 2)
    }
  }

  @Test func `one client validates an expired copy for all`() async throws {
    let world = try await SharedWorld()
    let origin = Origin()
    let stores = try await stores(world, 5)
    _ = try await stores[0].keep(.sample(Self.url, time: Date(timeIntervalSinceNow: -3_600)))

    let resources = try await fetchAll(origin, stores, Request(Self.url))

    #expect(origin.count == 1)
    #expect(try resources.allSatisfy { try $0.text == "water" })
    #expect(resources.count { $0.freshness == .revalidated } == 1)
    #expect(resources.count { $0.freshness == .fresh } == 4)
  }

  @Test(arguments: ["no-cache", "max-age=0, must-revalidate"])
  func `one client validates for all that wait, what has to be validated with every use`(
    control: String
  ) async throws {
    let world = try await SharedWorld()
    let origin = Origin(control)
    let stores = try await stores(world, 5)
    let request = try Request(Self.url)
    _ = try await stores[0]
      .keep(.sample(Self.url, headers: origin.headers, time: Date(timeIntervalSinceNow: -60)))

    let resources = try await fetchAll(origin, stores, request)

    #expect(origin.count == 1)
    #expect(try resources.allSatisfy { try $0.text == "water" })
    #expect(resources.count { $0.freshness == .revalidated } == 1)
    let waited = resources.filter { "\($0.explanation)".contains("for another process") }
    #expect(waited.count == 4)
    #expect(waited.allSatisfy { $0.source == .shared && $0.freshness == .fresh })
    // Who asks after that has not waited for it.
    let later = try await origin.client(stores[1]).resource(request).value
    #expect(later.freshness == .revalidated)
    #expect(origin.count == 2)
  }

  @Test func `one client downloads for all that wait, what has to be validated with every use`()
    async throws
  {
    let world = try await SharedWorld()
    let origin = Origin("no-cache")

    let resources = try await fetchAll(origin, stores(world, 5), Request(Self.url))

    #expect(origin.count == 1)
    #expect(try resources.allSatisfy { try $0.text == "1" })
  }

  @Test func `a copy from before the lease that a fetch waits for is validated`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let origin = Origin("no-cache")
    origin.gate.open()
    let request = try Request(Self.url)
    let name = try await name(request, shared)
    _ = try await shared.keep(.sample(Self.url, headers: origin.headers))
    try await world.server.command("SET", shared.names.lease(name), "5")
    let chain = origin.chain(request, shared)
    let fetch = Task { try await chain.settle().value }
    #expect(try await eventually { shared.leases.waitingCount == 1 })

    shared.leases.hear("\(name) stored")

    #expect(try await fetch.value.freshness == .revalidated)
    #expect(origin.count == 1)
  }

  @Test func `a fetch that misses the end of a validation finds its result`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let origin = Origin("no-cache")
    let request = try Request(Self.url)
    let name = try await name(request, shared)
    origin.gate.open()
    guard case .taken(let lease) = try await shared.takeLease(name, for: .seconds(120)) else {
      Issue.record("nobody has the lease")
      return
    }
    let chain = origin.chain(request, shared)
    let fetch = Task { try await chain.settle().value }
    #expect(try await eventually { shared.leases.waitingCount == 1 })
    let response = try StoredResponse.sample(Self.url, headers: origin.headers)
    _ = try await Fence.$current.withValue(Fence(lease: lease, keys: [response.key])) {
      try await shared.keep(response)
    }

    // No message: as if it had been lost.
    try await world.server.command("DEL", shared.names.lease(name))
    shared.leases.wakeAll()

    #expect(try await fetch.value.source == .shared)
    #expect(origin.count == 0)
    withExtendedLifetime(lease) {}
  }

  @Test func `a response that is not stored is fetched by all at once`() async throws {
    let world = try await SharedWorld()
    let origin = Origin("no-store")

    let stores = try await stores(world, 5)
    let request = try Request(Self.url)
    let fetches = stores.map { store in
      let client = origin.client(store)
      return Task { try await client.resource(request).value }
    }
    #expect(await origin.gate.waiting(count: 1))
    #expect(try await eventually { stores.map(\.leases.waitingCount).reduce(0, +) == 4 })

    origin.gate.pass()

    #expect(await origin.gate.waiting(count: 4))
    origin.gate.open()
    for fetch in fetches { #expect(try await fetch.value.source == .network) }
    #expect(origin.count == 5)
  }

  @Test func `what another process stores is downloaded again if it has another media type`()
    async throws
  {
    let world = try await SharedWorld()
    let gate = Gate()
    let count = Atomic<Int>(0)
    let transport = ScriptedTransport { _ in
      let isFirst = count.add(1, ordering: .relaxed).newValue == 1
      let headers: HTTPHeaders = [
        .cacheControl: "max-age=600", .contentType: isFirst ? "text/html" : "application/json",
      ]
      let body = Data((isFirst ? "<html>" : "{}").utf8)
      return ScriptedResponse(.ok, headers: headers, body: body).waiting(for: gate)
    }
    let stores = try await stores(world, 2)
    let request = try Request(Self.url)
    let clients = stores.map { store in
      Client {
        $0.transport = transport
        $0.shared = store
      }
    }
    let page = Task { try await clients[0].resource(request).value }
    #expect(await gate.waiting(count: 1))
    let list = Task { try await clients[1].resource(request) { $0.contentTypes = .json }.value }
    #expect(try await eventually { stores[1].leases.waitingCount == 1 })

    gate.open()

    #expect(try await page.value.text == "<html>")
    #expect(try await list.value.text == "{}")
  }

  @Test func `a leader that is cancelled is replaced at once`() async throws {
    let world = try await SharedWorld()
    let origin = Origin()
    let stores = try await stores(world, 2)
    let request = try Request(Self.url)
    let clients = stores.map { origin.client($0) }
    let first = Task { try await clients[0].resource(request).value }
    #expect(await origin.gate.waiting(count: 1))
    let second = Task { try await clients[1].resource(request).value }
    #expect(try await eventually { stores[1].leases.waitingCount == 1 })

    first.cancel()
    #expect(try await eventually { origin.count == 2 })
    origin.gate.open()

    #expect(try await second.value.text == "2")
    await #expect(throws: FreshetError.self) { try await first.value }
  }

  @Test func `the next one takes the lease after a failure`() async throws {
    let world = try await SharedWorld()
    let gate = Gate()
    let count = Atomic<Int>(0)
    let transport = ScriptedTransport { request in
      if count.add(1, ordering: .relaxed).newValue == 1 {
        return ScriptedResponse().waiting(for: gate).failing(with: .connection(.refused, url: ""))
      }
      return ScriptedResponse(.ok, headers: [.cacheControl: "max-age=60"], body: Data("two".utf8))
    }
    let stores = try await stores(world, 3)
    let request = try Request(Self.url)
    let fetches = stores.map { store in
      let client = Client {
        $0.transport = transport
        $0.shared = store
      }
      return Task { try? await client.resource(request).value }
    }
    #expect(await gate.waiting(count: 1))
    #expect(try await eventually { stores.map(\.leases.waitingCount).reduce(0, +) == 2 })
    gate.open()

    var texts: [String] = []
    for fetch in fetches { if let found = await fetch.value { texts.append(try found.text) } }
    #expect(texts == ["two", "two"])
    #expect(count.load(ordering: .relaxed) == 2)
  }

  @Test func `the lease of a process that has died ends by itself`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let origin = Origin()
    origin.gate.open()
    let request = try Request(Self.url)
    let key = shared.names.lease(try await name(request, shared))
    try await world.server.command("SET", key, "5", "PX", "60000")
    let chain = origin.chain(request, shared)
    let fetch = Task { try await chain.settle().value }
    #expect(try await eventually { try await world.server.command("GET", key) == "5w" })

    try await world.server.command("PEXPIRE", key, "100")
    let resource = try await fetch.value

    #expect(resource.source == .network)
    #expect("\(resource.explanation)".contains("for another process"))
    #expect("\(resource.explanation)".contains("shared: stored"))
  }

  @Test func `who takes the lease of another process looks into the store again`() async throws {
    let world = try await SharedWorld()
    let (shared, other) = (try await world.connected(), try await world.connected())
    let origin = Origin()
    let request = try Request(Self.url)
    let name = try await name(request, shared)
    try await world.server.command("SET", shared.names.lease(name), "5")
    let chain = origin.chain(request, shared)
    let fetch = Task { try await chain.settle().value }
    #expect(try await eventually { shared.leases.waitingCount == 1 })

    _ = try await other.keep(.sample(Self.url))
    try await world.server.command("DEL", shared.names.lease(name))
    shared.leases.wakeAll()

    #expect(try await fetch.value.source == .shared)
    #expect(origin.count == 0)
  }

  @Test func `a lease that is released ends`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    var reply: SharedStore.LeaseReply? = try await shared.takeLease("x", for: .seconds(60))
    #expect(try await world.server.command("EXISTS", shared.names.lease("x")) == "1")
    withExtendedLifetime(reply) {}
    reply = nil

    #expect(
      try await eventually {
        try await world.server.command("EXISTS", shared.names.lease("x")) == "0"
      }
    )
  }

  @Test func `a fetch that has waited long enough goes itself`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let origin = Origin()
    origin.gate.open()
    let request = try Request(Self.url)
    let key = shared.names.lease(try await name(request, shared))
    try await world.server.command("SET", key, "5")

    let limits = SharedStore.Coalescing(lease: .seconds(120), wait: .milliseconds(200))
    let resource = try await origin.chain(request, shared, limits).settle().value

    #expect(resource.source == .network)
    #expect("\(resource.explanation)".contains("for another process"))
    #expect(try await world.server.command("GET", key) == "5w")
  }

  @Test func `a fetch waits for other processes no longer than the client's deadline`()
    async throws
  {
    let world = try await SharedWorld()
    let shared = try await world.connected { $0.coalescing = Self.patient }
    let origin = Origin()
    let client = Client {
      $0.transport = origin.transport
      $0.shared = shared
      $0.deadline = .milliseconds(200)
    }
    let request = try Request(Self.url)
    let key = shared.names.lease(try await name(request, shared))
    try await world.server.command("SET", key, "5")

    let error = await #expect(throws: FreshetError.self) {
      try await client.resource(request).value
    }

    guard case .timedOut(.total, _) = try #require(error) else {
      Issue.record("another failure: \(String(describing: error))")
      return
    }
    #expect(origin.count == 0)
  }

  @Test func `a stale copy stands in for a fetch whose time is over while it waits`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let origin = Origin()
    _ = try await shared.keep(.sample(Self.url, time: Date(timeIntervalSinceNow: -3_600)))
    var request = try Request(Self.url)
    request.timeouts.total = .milliseconds(200)
    let key = shared.names.lease(try await name(request, shared))
    try await world.server.command("SET", key, "5")

    let resource = try await origin.chain(request, shared).settle().value

    #expect(resource.source == .shared)
    #expect(resource.freshness == .stale)
    #expect("\(resource.explanation)".contains("for another process"))
    #expect(origin.count == 0)
  }

  @Test func `a fetch that has waited has the rest of its time`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let transport = ScriptedTransport { _ in ScriptedResponse(body: Data("one".utf8)) }
    var request = try Request(Self.url)
    request.timeouts.total = .seconds(600)
    let key = shared.names.lease(try await name(request, shared))
    try await world.server.command("SET", key, "5", "PX", "60000")
    let chain = Fetch.request(request)
      .lookup(in: shared)
      .coalesce(across: shared, Self.patient)
      .download(over: transport)
    let fetch = Task { try await chain.settle().value }
    #expect(try await eventually { try await world.server.command("GET", key) == "5w" })

    try await world.server.command("PEXPIRE", key, "300")

    #expect(try await fetch.value.text == "one")
    let total = try #require(transport.requests.first?.timeouts.total)
    #expect(total <= .seconds(600) - .milliseconds(300))
  }

  @Test func `the script renews a lease for its own number and no other`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let origin = Origin()
    let request = try Request(Self.url)
    let key = shared.names.lease(try await name(request, shared))
    let limits = SharedStore.Coalescing(lease: .seconds(30), wait: .seconds(30))
    let chain = origin.chain(request, shared, limits)
    // A third of a lease would be long for a test: the renewal itself is asked for.
    let fetch = Task { try await chain.settle().value }
    #expect(await origin.gate.waiting(count: 1))
    let number = try await String(world.server.command("GET", key).prefix(while: \.isNumber))
    try await world.server.command("PEXPIRE", key, "20000")

    let reply = try await shared.pool.run(.renew, [key], [.text(number), .number(60_000)])
    let other = try await shared.pool.run(.renew, [key], [.number(5), .number(90_000)])
    let left = try #require(Int(try await world.server.command("PTTL", key)))
    origin.gate.open()

    #expect(reply.number == 1)
    #expect(other.number == 0)
    #expect(20_000 < left && left <= 60_000)
    #expect(try await fetch.value.source == .network)
  }

  @Test func `short leases are held for as long as their fetches run`() async throws {
    let world = try await SharedWorld()
    let origin = Origin()
    let limits = SharedStore.Coalescing(lease: .seconds(20), wait: .seconds(120))
    let stores = try await stores(world, 2, limits)
    let request = try Request(Self.url)
    let key = stores[0].names.lease(try await name(request, stores[0]))
    let fetches = stores.map { store in
      let client = origin.client(store)
      return Task { try await client.resource(request).value }
    }
    #expect(await origin.gate.waiting(count: 1))
    // The time that is left rises only when the lease is renewed; three times are longer than the lease.
    var (last, renewals) = (Int.max, 0)
    let isRenewed = try await eventually {
      let left = Int(try await world.server.command("PTTL", key)) ?? 0
      if left > last { renewals += 1 }
      last = left
      return renewals == 3
    }
    origin.gate.open()

    #expect(isRenewed)
    for fetch in fetches { #expect(try await fetch.value.text == "1") }
    #expect(origin.count == 1)
  }

  @Test func `the end of a lease wakes those who wait`() async throws {
    let world = try await SharedWorld()
    let (first, second) = (try await world.connected(), try await world.connected())
    second.pool.subscribe(second.names.leases, isWanted: true)
    #expect(
      try await eventually {
        try await world.server.command("PUBSUB", "NUMSUB", second.names.leases).hasSuffix("1")
      }
    )
    guard case .taken(let lease) = try await first.takeLease("x", for: .seconds(60)) else {
      Issue.record("nobody has the lease")
      return
    }
    let waiter = second.leases.waiter(for: "x")
    guard case .held(_, let left) = try await second.takeLease("x", for: .seconds(60)) else {
      Issue.record("the lease is not held")
      return
    }
    await lease.end(.stored)

    #expect(await waiter.end(within: .seconds(120)) == .stored)
    #expect(left > .zero && left <= .seconds(60))
    guard case .taken = try await second.takeLease("x", for: .seconds(60)) else {
      Issue.record("the lease has not ended")
      return
    }
  }

  @Test func `a leader that is replaced does not overwrite what its successor has stored`()
    async throws
  {
    let world = try await SharedWorld()
    let (first, second) = (try await world.connected(), try await world.connected())
    guard case .taken(let old) = try await first.takeLease("x", for: .seconds(60)) else {
      Issue.record("nobody has the lease")
      return
    }
    try await world.server.command("DEL", first.names.lease("x"))
    guard case .taken(let new) = try await second.takeLease("x", for: .seconds(60)) else {
      Issue.record("the lease has not ended")
      return
    }
    #expect(new.number > old.number)
    let time = Date(timeIntervalSinceNow: -60)
    let successor = try StoredResponse.sample(body: Data("new".utf8), time: time)
    // The newer one by all clocks.
    let late = try StoredResponse.sample(
      body: Data("late".utf8),
      headers: [.eTag: "\"2\"", .cacheControl: "max-age=60"],
      time: Date()
    )
    let keys: Set = [successor.key]
    _ = try await Fence.$current.withValue(Fence(lease: new, keys: keys)) {
      try await second.keep(successor)
    }

    await #expect(throws: StoreFailure.Reason.older.error) {
      try await Fence.$current.withValue(Fence(lease: old, keys: keys)) {
        try await first.keep(late)
      }
    }
    let found = await first.find(successor.key, for: [:])
    #expect(try found?.body.data() == Data("new".utf8))
    // A write without a lease keeps the number.
    _ = try await first.keep(late)
    await #expect(throws: StoreFailure.Reason.older.error) {
      try await Fence.$current.withValue(Fence(lease: old, keys: keys)) {
        try await first.keep(late)
      }
    }
  }

  @Test func `credentials without a partition take no lease`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let origin = Origin()
    var request = try Request(Self.url)
    request.headers[.authorization] = "Bearer secret"
    let chain = origin.chain(request, shared)
    let fetches = (0..<2).map { _ in Task { try await chain.settle().value } }

    #expect(await origin.gate.waiting(count: 2))
    #expect(try await world.server.command("KEYS", "*:lease:*").isEmpty)
    origin.gate.open()
    for fetch in fetches { #expect(try await fetch.value.source == .network) }
  }

  @Test func `header fields that differ are other fetches`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    var german = try Request(Self.url)
    german.headers[.acceptLanguage] = "de"
    let names = try await [
      name(Request(Self.url), shared),
      name(german, shared),
      name(Request(.head, Self.url), shared),
      name(Request(Self.url + "?"), shared),
    ]
    #expect(Set(names).count == 4)
    #expect(try await name(Request(Self.url), world.connected()) == names[0])
  }

  @Test func `a server that stands still costs a time-out, and each fetch goes itself`()
    async throws
  {
    let world = try await SharedWorld()
    let stores = try await stores(world, 2, timeout: .seconds(5))
    let origin = Origin()
    let request = try Request(Self.url)
    let clients = stores.map { origin.client($0) }
    let first = Task { try await clients[0].resource(request).value }
    #expect(await origin.gate.waiting(count: 1))
    world.server.signal(SIGSTOP)
    let second = Task { try await clients[1].resource(request).value }
    #expect(await origin.gate.waiting(count: 2))
    origin.gate.open()

    #expect(try await first.value.source == .network)
    #expect(try await second.value.source == .network)
    world.server.signal(SIGCONT)
  }

  @Test func `a client shares fetches if its store says so, and each request may do without`()
    async throws
  {
    let world = try await SharedWorld()
    let request = try Request(Self.url)
    let origin = Origin()
    let usual = origin.client(try world.store())
    let sharing = origin.client(try world.store { $0.coalescing = .init() })

    #expect(!usual.chain(for: request).stageNames.contains(.coalesceAcross))
    let names = sharing.chain(for: request).stageNames
    #expect(names.firstIndex(of: .coalesceAcross) == names.firstIndex(of: .coalesce).map { $0 + 1 })
    #expect("\(sharing.chain(for: request))".contains("  .coalesce(across: shared)\n"))
    let own = sharing.chain(for: request).removing(.coalesceAcross)
    #expect(!own.stageNames.contains(.coalesceAcross))
    let reload = sharing.chain(for: request, policy: ResourcePolicy { $0.network = .required })
    #expect(!reload.stageNames.contains(.coalesceAcross))
  }

  @Test func `a plan takes no lease`() async throws {
    let world = try await SharedWorld()
    let shared = try await world.connected()
    let plan = try await Origin().chain(Request(Self.url), shared).plan()

    #expect(plan.stage == .download)
    #expect(try await world.server.command("KEYS", "*:lease:*").isEmpty)
  }
}
#endif
