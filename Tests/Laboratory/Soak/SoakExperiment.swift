#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import Synchronization
import TestSupport

/// Many requests at 64 in flight, one in a hundred with each fault and one in ten cancelled on its way;
/// what the process holds does not grow.
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
    let server = try await ServerProcess.wire()
    defer { server.stop() }
    let nginx = try await Nginx(in: bench)
    defer { nginx?.stop() }
    let folder = bench.folder("soak")
    let transport = CurlTransport { $0.proxy = .none }
    // Full within the first half: stores that still fill up would look like a leak, or hide one. What
    // many small responses take is only estimated, so that their number is limited too.
    let limits = Subject.Limits(
      memory: 4 << 20,
      count: 256,
      disk: count < 100_000 ? 1 << 20 : 16 << 20
    )
    let subjects = [
      Subject(transport, in: folder, limits: limits),
      Subject(transport, in: bench.folder("soak-files"), threshold: 1_000, limits: limits),
    ]
    let spools = [folder, bench.folder("soak-files")].flatMap(Subject.spools)
    // What was cancelled in its middle waits in a folder of its own to be resumed.
    let folders = [bench.temporary] + spools.filter { $0.lastPathComponent != "partial" }
    let run = SoakRun(subjects: subjects, server: server, nginx: nginx)
    var curve: [Growth.Point] = []
    let began = Date()
    for part in 0..<20 {
      try await run.requests(count * part / 20..<count * (part + 1) / 20)
      curve.append(Growth.Point(count * (part + 1) / 20, Census.take(folders)))
    }
    report(curve, seconds: Date().timeIntervalSince(began), run.account)
    try compare(run.account, server, nginx)
    if let nginx { await resume(nginx, with: subjects[1].client) }
    for subject in subjects { await subject.disk.close() }
    notebook.check("left on its way", problems: subjects.flatMap(\.leftovers))
    let left = (folders + spools).flatMap { Census.files(in: $0) }
    notebook.check("files left", problems: left)
  }

  /// Fetches whole what may have been cancelled in its middle.
  private func resume(_ nginx: Nginx, with client: Client) async {
    var problems: [String] = []
    for number in 0..<SoakRun.soundCount {
      let request = Request(.get, nginx.url("/body?\(number)"))
      let ending = await Operation.file.run(request, with: client, seconds: 30)
      problems += Expectation.value(Wire.body).problems(with: ending).map { "\(number): \($0)" }
    }
    notebook.note("fetched whole afterwards", count: SoakRun.soundCount, problems: problems)
  }

  /// What the servers have seen, beside what the requests say of themselves.
  private func compare(_ account: SoakAccount, _ server: ServerProcess, _ nginx: Nginx?) throws {
    var problems: [String] = []
    let seen = try Control.ask(server.ports[0], "/seen").split(separator: " ")
      .compactMap { Int($0) }
    // Each has a number of its own, so that none is a second time what another one was.
    // What was over before it had been sent cannot have come.
    let least =
      account.faults - account.errors["timedOut", default: 0]
      - account.errors["cancelled", default: 0]
    if !(least...account.faults).contains(seen.first ?? -1) {
      problems.append("\(seen) came of \(account.faults)")
    }
    if let nginx {
      let answers = nginx.answers
      let good = answers.filter { $0 == "200 \(Wire.body.count)" || $0.hasPrefix("304 ") }.count
      // Who is cancelled reads no more of an answer.
      if answers.count - good > account.cancelled {
        problems.append("\(answers.count - good) answers are not right")
      }
      if good > account.sound || good == 0 {
        problems.append("\(good) answers to \(account.sound) requests")
      }
      notebook.say("\(seen.first ?? 0) came to the faults, \(good) to nginx")
    }
    notebook.check("what the servers have seen", problems: problems)
  }

  private func report(_ curve: [Growth.Point], seconds: Double, _ account: SoakAccount) {
    notebook.say("requests    MiB  in use  threads  descriptors  files")
    for point in curve {
      let census = point.census
      notebook.say(
        String(
          format: "%8d %6.1f %7.1f %8d %12d %6d",
          point.count,
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
    notebook.say("\(account.cancelled) were cancelled")
    var problems = account.problems
    if account.total != count { problems.append("\(account.total) of \(count) are accounted for") }
    notebook.note("requests accounted for", count: account.total, problems: problems)
    let growth = Growth(curve)
    notebook.say(growth.description)
    // A short soak is over before all that is bounded is full: until 36,000 requests, 600 to 900 bytes
    // are more allocated for each.
    let limit: Double = count < 100_000 ? 1_300 : 300
    notebook.check("what the process holds", problems: growth.problems(limit: limit))
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
  /// How many were cancelled, whether that came in time or not.
  var cancelled = 0

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
  /// How many URLs there are without a fault.
  static let soundCount = 500

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
    request.timeouts.firstByte = .milliseconds(name.contains("never comes") ? 100 : 30_000)
    request.timeouts.idle = .milliseconds(name.contains("stalled") ? 100 : 30_000)
    let patience: Duration? =
      Int.random(in: 0..<10, using: &generator) == 0
      ? .microseconds(Int.random(in: 0..<20_000, using: &generator)) : nil
    let ending = await operation.run(
      request,
      with: subject.client(for: operation),
      seconds: 90,
      cancelledAfter: patience
    )
    var problems = expectation.problems(with: ending)
    if patience != nil, case .failure(.cancelled) = ending { problems = [] }
    state.withLock { state in
      state.add(ending)
      if url.port == server.ports[0] { state.faults += 1 }
      if name == "sound" { state.sound += 1 }
      if patience != nil { state.cancelled += 1 }
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
    return (nginx.url("/body?\(number % Self.soundCount)"), .value(Wire.body), "sound")
  }
}
#endif
