#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting

/// Tries one fault in all ways in which a request can be made, each with a client of its own, asks for
/// the same once more when the fault is over, and looks at what is left of them.
struct FaultTrials: Sendable {
  let bench: Bench
  let notebook: Notebook
  /// A sound answer from the same server.
  let sound: URL
  /// How the fault comes to its end, if it can.
  var mending: Mending?
  let transport: @Sendable () -> CurlTransport

  /// What is tried, besides its URL.
  struct Case {
    let request: Request
    let operation: Operation
    let hasNext: Bool
    let rest: Duration
    /// Whether a copy is stored before.
    var hasCopy = false
  }

  /// Tries it, and sound requests behind it, after a rest, if there can be any.
  func run(
    _ name: String,
    at url: URL,
    _ expectation: Expectation,
    operations: [Operation] = Operation.allCases,
    hasNext: Bool = true,
    hasCopies: Bool = false,
    rest: Duration = .zero,
    change: (inout Request) -> Void = { _ in }
  ) async {
    var request = Request(.get, url)
    // Only a limit that is to end the request is short: a busy machine reaches it without a fault.
    let isSlow = expectation.kinds.contains("timedOut")
    let (short, long) = (Duration.milliseconds(400), Duration.seconds(15))
    request.timeouts.connect = long
    request.timeouts.firstByte = isSlow && expectation.phase != .idle ? short : long
    request.timeouts.idle = isSlow && expectation.phase != .firstByte ? short : long
    request.timeouts.total = isSlow ? .seconds(6) : .seconds(60)
    change(&request)
    for operation in chosen(operations, for: name) {
      let trial = Case(request: request, operation: operation, hasNext: hasNext, rest: rest)
      await run("\(name), \(operation)", trial, expectation)
    }
    guard hasCopies, request.method == .get, operations.contains(.resource) else { return }
    let trial = Case(
      request: request,
      operation: .resource,
      hasNext: hasNext,
      rest: rest,
      hasCopy: true
    )
    await run("\(name), over a stale copy", trial, expectation.overCopy(Wire.oldBody))
  }

  private func run(_ name: String, _ trial: Case, _ expectation: Expectation) async {
    let folders = [bench.temporary]
    let before = Census.take(folders)
    let began = ContinuousClock.now
    let (ending, problems) = await attempt(trial)
    let seconds = String(format: "%.1f s in all", began.duration(to: .now) / .seconds(1))
    notebook.note(
      name,
      "\(ending), \(seconds)",
      problems: expectation.problems(with: ending) + problems
        + (await Census.settle(before, folders))
    )
  }

  /// All of them where there is time, otherwise two, which differ between faults.
  private func chosen(_ operations: [Operation], for name: String) -> [Operation] {
    guard !bench.options.isLong, operations.count > 2 else { return operations }
    let others = operations.dropFirst()
    let index = name.utf8.reduce(0) { $0 + Int($1) } % others.count
    return [operations[0], others[others.startIndex + index]]
  }

  /// Starts what the runtime starts once and for good, so that it is not taken for a leak, and tries
  /// whether a file that is left in the temporary folder would be seen.
  func warmUp() async throws {
    let warm = Subject(transport(), in: bench.folder("warm"), threshold: 1)
    for operation in Operation.allCases {
      _ = await operation.run(Request(.get, sound), with: warm.client(for: operation))
    }
    await warm.disk.close()
    guard Spool().directory.path.hasPrefix(bench.temporary.path) else {
      throw LabError("bodies arrive in \(Spool().directory.path), where nobody looks")
    }
    let before = Census.take([bench.temporary])
    let left = Spool().directory.appending(path: "left")
    try FileManager.default.createDirectory(
      at: Spool().directory,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try Data("left".utf8).write(to: left)
    let problems = await Census.settle(before, [bench.temporary], seconds: 0)
    try FileManager.default.removeItem(at: left)
    guard !problems.isEmpty else { throw LabError("a file that was left was not seen") }
  }

  /// The end of the request, and what is wrong besides.
  private func attempt(_ trial: Case) async -> (Ending, [String]) {
    let (folder, operation) = (bench.folder("store-\(UUID().uuidString)"), trial.operation)
    let subject = Subject(transport(), in: folder, threshold: operation.isSpooled ? 1_000 : 1 << 20)
    let client = subject.client(for: operation)
    var (request, problems) = (trial.request, [String]())
    if let mending {
      do { request.url = try mending.prepare(request.url) } catch { problems.append("\(error)") }
    }
    if trial.hasCopy { problems += await storeCopy(&request, subject) }
    let ending = await operation.run(request, with: client)
    if trial.rest > .zero { try? await Task.sleep(for: trial.rest) }
    for _ in 0..<(trial.hasNext ? 2 : 0) {
      let next = await Operation.send.run(Request(.get, sound), with: client)
      let isRight = Expectation.value(Wire.soundBody).problems(with: next).isEmpty
      if !isRight { problems.append("the next request: \(next)") }
    }
    if trial.hasNext { problems += await again(request, operation, client) }
    problems += subject.leftovers
    await subject.disk.close()
    problems += Subject.spools(of: folder).flatMap { Census.files(in: $0) }
      .map { "left behind: \($0)" }
    try? FileManager.default.removeItem(at: folder)
    return (ending, problems)
  }

  /// The first answer to a URL that says so is an old copy.
  private func storeCopy(_ request: inout Request, _ subject: Subject) async -> [String] {
    let url = request.url.absoluteString.replacing("?", with: "?old", maxReplacements: 1)
    request.url = URL(string: url) ?? request.url
    var first = request
    first.timeouts = Request.Timeouts()
    let ending = await Operation.resource.run(first, with: subject.client)
    return Expectation.value(Wire.oldBody).problems(with: ending)
      .map { "no copy: \(ending), \($0)" }
  }

  /// What the same client gets from the same URL when the fault is over.
  private func again(_ request: Request, _ operation: Operation, _ client: Client) async -> [String]
  {
    guard let mending else { return [] }
    do { try mending.mend(request.url) } catch { return ["\(error)"] }
    var request = request
    request.timeouts = Request.Timeouts()
    let right = Expectation.value(request.method == .head ? Data() : Wire.soundBody)
    let ending = await operation.run(request, with: client)
    return right.problems(with: ending).map { "the same again: \(ending), \($0)" }
  }
}

extension Expectation {
  /// What has to come of it if a copy is stored: an outage is no failure then.
  func overCopy(_ copy: Data) -> Expectation {
    var other = self
    other.phase = nil
    // The copy has fields of its own.
    other.fields = { _ in [] }
    let isOutage = kinds.isSubset(of: ["connection", "timedOut", "invalidResponse"])
    return values.isEmpty && isOutage ? .value(copy) : other.orValue(copy)
  }
}
#endif
