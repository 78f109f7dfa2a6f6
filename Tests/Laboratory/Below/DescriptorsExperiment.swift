#if os(Linux)
import Foundation
import Freshet

/// A process that has no descriptors left, or one, or two, and so on.
struct DescriptorsExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let server = try ServerProcess.wire()
    defer { server.stop() }
    let url = server.url("/closed-after-the-last-byte")
    await FaultTrials(bench: bench, notebook: notebook, sound: server.url("/sound")) {
      CurlTransport { $0.proxy = .none }
    }
    .warmUp()
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let before = Census.take()
    for spare in 0..<(bench.options.isLong ? 40 : 24) {
      for operation in Operation.allCases {
        let folder = bench.folder("descriptors-\(spare)-\(operation)")
        let transport = CurlTransport { $0.proxy = .none }
        let subject = Subject(
          transport,
          in: folder,
          threshold: operation == .file ? 1_000 : 1 << 20
        )
        var request = Request(.get, url)
        request.timeouts.total = .seconds(4)
        var low = limit
        low.rlim_cur = rlim_t(lowestFree() + spare)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &low)
        let ending = await operation.run(request, with: subject.client)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let expectation = Expectation.value(Wire.body, orError: "connection", "file", "timedOut")
        var problems = expectation.problems(with: ending)
        let next = await Operation.send.run(request, with: subject.client)
        problems += Expectation.value(Wire.body).problems(with: next).map { "next: \(next), \($0)" }
        problems += subject.leftovers
        await subject.disk.close()
        let files = Subject.spools(of: folder).flatMap { Census.files(in: $0) }
        problems += files.map { "left behind: \($0)" }
        notebook.note("\(spare) free descriptors, \(operation)", "\(ending)", problems: problems)
      }
    }
    notebook.note("descriptors afterwards", "", problems: await Census.settle(before))
  }

  /// One above the highest descriptor that is open.
  private func lowestFree() -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let open = names.compactMap { Int($0) }.filter { fcntl(Int32($0), F_GETFD) >= 0 }
    return (open.max() ?? 2) + 1
  }
}
#endif
