#if os(Linux)
import Foundation
import Freshet
import FreshetTesting
import Synchronization

/// Many requests at 64 in flight, one in a hundred with each fault; what the process holds does not grow.
struct SoakExperiment {
  let bench: Bench
  let notebook: Notebook
  let count: Int

  /// What is asked for.
  enum Want: Sendable {
    case sound(Int)
    case fault(Int)
    case refused
  }

  init(_ bench: Bench, _ notebook: Notebook) {
    self.bench = bench
    self.notebook = notebook
    count = bench.options.requests ?? (bench.options.isLong ? 1_000_000 : 10_000)
  }

  /// Those that are over at once, one that stalls, and those that the network has besides.
  static let faults =
    WireFault.all.filter { $0.isQuick && $0.operations.contains(.file) }
    .filter { fault in names.contains { fault.name.contains($0) } }
    + WireFault.all.filter {
      $0.name == "body stalled for ever" || $0.name == "head that never comes"
    }

  private static let names = [
    "closed before", "reset before", "closed in the head", "reset in the body", "reset at the last",
    "closed at the last", "truncated body", "over-long body", "negative length", "two lengths",
    "chunks without", "chunk size that is no", "1,001 header", "2x0", "null in a value",
    "gzip, truncated", "gzip, corrupt", "br, corrupt", "zstd, truncated", "interim responses first",
    "two responses", "closed when", "half-closed", "redirect to a file", "redirect to nowhere",
  ]

  func run() async throws {
    for name in Self.names where !Self.faults.contains(where: { $0.name.contains(name) }) {
      throw LabError("no fault is called \(name)")
    }
    let server = try ServerProcess.wire()
    defer { server.stop() }
    let nginx = try await Nginx(in: bench)
    defer { nginx?.stop() }
    let folder = bench.folder("soak")
    let transport = CurlTransport { $0.proxy = .none }
    // Full within the first tenth: stores that still fill up would look like a leak, or hide one. What
    // many small responses take is only estimated, so that their number is limited too.
    let limits = Subject.Limits(memory: 4 << 20, count: 256, disk: 16 << 20)
    let subjects = [
      Subject(transport, in: folder, limits: limits),
      Subject(transport, in: bench.folder("soak-files"), threshold: 1_000, limits: limits),
    ]
    let folders = [bench.temporary] + [folder, bench.folder("soak-files")].flatMap(Subject.spools)
    let run = SoakRun(subjects: subjects, server: server, nginx: nginx)
    var curve: [(Int, Census)] = []
    let began = Date()
    for part in 0..<20 {
      try await run.requests(count * part / 20..<count * (part + 1) / 20)
      curve.append((count * (part + 1) / 20, Census.take(folders)))
    }
    report(curve, seconds: Date().timeIntervalSince(began), run.account)
    try compare(run.account, server, nginx)
    for subject in subjects { await subject.disk.close() }
    notebook.note("left on its way", "", problems: subjects.flatMap(\.leftovers))
    notebook.note("files left", "", problems: folders.flatMap { Census.files(in: $0) })
  }

  /// What the servers have seen, beside what the requests say of themselves.
  private func compare(_ account: SoakAccount, _ server: ServerProcess, _ nginx: Nginx?) throws {
    var problems: [String] = []
    let seen = try Control.ask(server.ports[0], "/seen").split(separator: " ")
      .compactMap { Int($0) }
    // Each has a number of its own, so that none is a second time what another one was.
    // What was over before it had been sent cannot have come.
    let least = account.faults - account.errors["timedOut", default: 0]
    if !(least...account.faults).contains(seen.first ?? -1) {
      problems.append("\(seen) came of \(account.faults)")
    }
    if let nginx {
      let answers = nginx.answers
      let good = answers.filter { $0 == "200 \(Wire.body.count)" || $0.hasPrefix("304 ") }.count
      if good != answers.count { problems.append("\(answers.count - good) answers are not right") }
      if good > account.sound || good == 0 {
        problems.append("\(good) answers to \(account.sound) requests")
      }
      notebook.say("\(seen.first ?? 0) came to the faults, \(good) to nginx")
    }
    notebook.note("what the servers have seen", "", problems: problems)
  }

  private func report(_ curve: [(Int, Census)], seconds: Double, _ account: SoakAccount) {
    notebook.say("requests    MiB  in use  threads  descriptors  files")
    for (number, census) in curve {
      notebook.say(
        String(
          format: "%8d %6.1f %7.1f %8d %12d %6d",
          number,
          census.residentMiB,
          census.allocatedMiB,
          census.threads,
          census.descriptors,
          census.files
        )
      )
    }
    notebook.say(
      String(format: "%.0f s, %.0f requests a second", seconds, Double(count) / seconds)
    )
    notebook.say("\(account.values) values, \(account.errors.sorted { $0.key < $1.key })")
    var problems = account.problems
    if account.total != count { problems.append("\(account.total) of \(count) are accounted for") }
    notebook.note("requests accounted for", count: count, problems: problems)
    notebook.note("what the process holds", "", problems: growth(curve.map(\.1)))
  }

  /// What has grown between the first quarter and the end.
  private func growth(_ curve: [Census]) -> [String] {
    let (early, late) = (curve[4...9], curve[15...])
    var problems: [String] = []
    let memory = (early.map(\.residentMiB).max() ?? 0, late.map(\.residentMiB).min() ?? 0)
    // An allocator keeps what it once had: a tenth, and what a burst of 64 may need.
    if memory.1 > memory.0 * 1.1 + 4 { problems.append("memory grew: \(memory)") }
    let used = (
      early.map(\.allocatedMiB).max() ?? 0, late.map(\.allocatedMiB).min() ?? 0
    )
    if used.1 > used.0 * 1.05 + 2 { problems.append("what is allocated grew: \(used)") }
    let threads = (early.map(\.threads).max() ?? 0, late.map(\.threads).min() ?? 0)
    if threads.1 > threads.0 { problems.append("threads grew: \(threads)") }
    // Idle connections are kept, up to 64 for each of the two servers.
    let descriptors = (early.map(\.descriptors).max() ?? 0, late.map(\.descriptors).min() ?? 0)
    if descriptors.1 > descriptors.0 + 16 { problems.append("descriptors grew: \(descriptors)") }
    let files = (early.map(\.files).max() ?? 0, late.map(\.files).min() ?? 0)
    if files.1 > files.0 + 2 { problems.append("files grew: \(files)") }
    return problems
  }
}

/// What has become of all requests.
struct SoakAccount: Sendable {
  var values = 0
  var errors: [String: Int] = [:]
  var problems: [String] = []
  /// How many were made to the server of faults, and how many to nginx.
  var faults = 0
  var sound = 0

  var total: Int { values + errors.values.reduce(0, +) }

  mutating func add(_ ending: Ending) {
    switch ending {
    case .value: values += 1
    case .failure(let error): errors[error.kind, default: 0] += 1
    case .silence: errors["silence", default: 0] += 1
    }
  }
}

/// The requests of a soak.
final class SoakRun: Sendable {
  private let subjects: [Subject]
  private let server: ServerProcess
  private let nginx: Nginx?
  private let state = Mutex(SoakAccount())

  init(subjects: [Subject], server: ServerProcess, nginx: Nginx?) {
    self.subjects = subjects
    self.server = server
    self.nginx = nginx
  }

  var account: SoakAccount { state.withLock { $0 } }

  /// Makes them, 64 at a time.
  func requests(_ numbers: Range<Int>) async throws {
    await withTaskGroup(of: Void.self) { group in
      var rest = numbers
      for _ in 0..<64 {
        guard let number = rest.popFirst() else { break }
        group.addTask { await self.request(number) }
      }
      while await group.next() != nil {
        guard let number = rest.popFirst() else { continue }
        group.addTask { await self.request(number) }
      }
    }
  }

  private func request(_ number: Int) async {
    var generator = SeededGenerator(seed: UInt64(number))
    let (url, expectation, name) = want(Int.random(in: 0..<100, using: &generator), number)
    let operation: Operation =
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: .batch
      case 1: .file
      case 2: .temporary
      case 3...8: .resource
      default: .send
      }
    let subject = subjects[operation.isSpooled ? 1 : 0]
    var request = Request(.get, url)
    request.timeouts.firstByte = .milliseconds(name.contains("never comes") ? 100 : 5_000)
    request.timeouts.idle = .milliseconds(name.contains("stalled") ? 100 : 5_000)
    let ending = await operation.run(request, with: subject.client(for: operation), seconds: 40)
    let problems = expectation.problems(with: ending)
    state.withLock { state in
      state.add(ending)
      if url.port == server.ports[0] { state.faults += 1 }
      if name == "sound" { state.sound += 1 }
      if !problems.isEmpty { state.problems.append("\(number), \(name), \(operation): \(ending)") }
    }
  }

  private func want(_ dice: Int, _ number: Int) -> (URL, Expectation, String) {
    let faults = SoakExperiment.faults
    if dice < faults.count {
      let fault = faults[dice]
      // Two at once would be one, and each is to meet its own.
      return (server.url("/\(fault.path)?\(number)"), fault.expectation, fault.name)
    }
    if dice == faults.count { return (server.closed, .error("connection"), "refused") }
    guard let nginx else {
      return (server.url("/sound?\(number)"), .value(Wire.soundBody), "sound")
    }
    return (nginx.url("/body?\(number % 500)"), .value(Wire.body), "sound")
  }
}
#endif
