#if os(Linux)
import Foundation
import Freshet

/// Tries one fault in all ways in which a request can be made, each with a client of its own, and looks
/// at what is left of them.
struct FaultTrials: Sendable {
  let bench: Bench
  let notebook: Notebook
  /// A sound answer from the same server.
  let sound: URL
  let transport: @Sendable () -> CurlTransport

  /// Tries it, and sound requests behind it, after a rest, if there can be any.
  func run(
    _ name: String,
    at url: URL,
    _ expectation: Expectation,
    operations: [Operation] = Operation.allCases,
    hasNext: Bool = true,
    rest: Duration = .zero,
    change: (inout Request) -> Void = { _ in }
  ) async {
    var request = Request(.get, url)
    request.timeouts.connect = .seconds(3)
    request.timeouts.firstByte = .milliseconds(400)
    request.timeouts.idle = .milliseconds(400)
    request.timeouts.total = .seconds(6)
    change(&request)
    let before = Census.take()
    for operation in chosen(operations, for: name) {
      let (ending, problems) = await attempt(request, operation, hasNext, rest)
      notebook.note(
        "\(name), \(operation)",
        "\(ending)",
        problems: expectation.problems(with: ending) + problems + (await Census.settle(before))
      )
    }
  }

  /// All of them where there is time, otherwise two, which differ between faults.
  private func chosen(_ operations: [Operation], for name: String) -> [Operation] {
    guard !bench.options.isLong, operations.count > 2 else { return operations }
    let others = operations.dropFirst()
    let index = name.utf8.reduce(0) { $0 + Int($1) } % others.count
    return [operations[0], others[others.startIndex + index]]
  }

  /// Starts what the runtime starts once and for good, so that it is not taken for a leak.
  func warmUp() async {
    let warm = Subject(transport(), in: bench.folder("warm"), threshold: 1)
    for operation in Operation.allCases {
      _ = await operation.run(Request(.get, sound), with: warm.client)
    }
    await warm.disk.close()
  }

  /// The end of the request, and what is wrong besides.
  private func attempt(
    _ request: Request,
    _ operation: Operation,
    _ hasNext: Bool,
    _ rest: Duration
  ) async -> (Ending, [String]) {
    let folder = bench.folder("store-\(UUID().uuidString)")
    let subject = Subject(transport(), in: folder, threshold: operation == .file ? 1_000 : 1 << 20)
    let ending = await operation.run(request, with: subject.client)
    var problems: [String] = []
    if rest > .zero { try? await Task.sleep(for: rest) }
    for _ in 0..<(hasNext ? 2 : 0) {
      let next = await Operation.send.run(Request(.get, sound), with: subject.client)
      let isRight = Expectation.value(Wire.soundBody).problems(with: next).isEmpty
      if !isRight { problems.append("the next request: \(next)") }
    }
    problems += subject.leftovers
    await subject.disk.close()
    let folders = Subject.spools(of: folder) + [bench.temporary]
    problems += folders.flatMap { Census.files(in: $0) }.map { "left behind: \($0)" }
    try? FileManager.default.removeItem(at: folder)
    return (ending, problems)
  }
}
#endif
