#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport

/// A process that has no descriptors left, or one, or two, and so on.
struct DescriptorsExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let server = try await ServerProcess.wire()
    defer { server.stop() }
    let url = server.url("/closed-after-the-last-byte")
    try await FaultTrials(bench: bench, notebook: notebook, sound: server.url("/sound")) {
      CurlTransport { $0.proxy = .none }
    }
    .warmUp()
    let before = Census.take()
    for spare in 0..<(bench.options.isLong ? 40 : 24) {
      for operation in Operation.allCases {
        let folder = bench.folder("descriptors-\(spare)-\(operation)")
        let transport = CurlTransport { $0.proxy = .none }
        let subject = Subject(
          transport,
          in: folder,
          threshold: operation.isSpooled ? 1_000 : 1 << 20
        )
        var request = Request(.get, url)
        request.timeouts.total = .seconds(4)
        let ending = await Scarcity.leaving(spare) {
          await operation.run(request, with: subject.client(for: operation))
        }
        let expectation = Expectation.value(Wire.body, orError: "connection", "file", "timedOut")
        var problems = expectation.problems(with: ending)
        request.timeouts = Request.Timeouts()
        for next in [Operation.send, operation] {
          let ending = await next.run(request, with: subject.client(for: operation))
          let problem = Expectation.value(Wire.body).problems(with: ending)
          problems += problem.map { "next \(next): \(ending), \($0)" }
        }
        problems += subject.leftovers
        await subject.disk.close()
        let files = Subject.spools(of: folder).flatMap { Census.files(in: $0) }
        problems += files.map { "left behind: \($0)" }
        notebook.note("\(spare) free descriptors, \(operation)", "\(ending)", problems: problems)
      }
    }
    notebook.check("descriptors afterwards", problems: await Census.settle(before))
  }
}
#endif
