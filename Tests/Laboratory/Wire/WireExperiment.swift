#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport

/// All that can go wrong between a socket's two ends.
struct WireExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let server = try await ServerProcess.wire()
    defer { server.stop() }
    let trials = FaultTrials(
      bench: bench,
      notebook: notebook,
      sound: server.url("/sound"),
      mending: .wire(server)
    ) {
      CurlTransport { $0.proxy = .none }
    }
    try await trials.warmUp()
    await trials.run("sound", at: server.url("/sound"), .value(Wire.soundBody))
    for fault in WireFault.all {
      await trials.run(
        fault.name,
        at: server.url("/\(fault.path)"),
        fault.expectation,
        operations: fault.operations,
        hasCopies: bench.options.isLong || fault.isQuick || fault.expectation.phase != nil,
        // Before it has come, nobody can tell it from the answer to the next request.
        rest: fault.name.contains("late") ? .milliseconds(50) : .zero,
        change: fault.change
      )
    }
    await onceOnly(server)
    var others = trials
    others.mending = nil
    await others.run("refused", at: server.closed, .error("connection"))
    for host in ["nobody.invalid", "a..b", String(repeating: "a", count: 300) + ".invalid"] {
      guard let url = URL(string: "http://\(host)/") else { continue }
      await others.run(
        "no address for \(host.prefix(20))",
        at: url,
        .error("connection", "invalidRequest")
      )
    }
  }

  /// What may have been carried out is sent once: its kept connection ends after it was read.
  private func onceOnly(_ server: ServerProcess) async {
    for path in ["closed-when-it-is-used-again", "half-closed-when-it-is-used-again"] {
      for operation in [Operation.send, .resource] {
        let subject = Subject(
          CurlTransport { $0.proxy = .none },
          in: bench.folder("once-\(path)-\(operation)")
        )
        let url = server.url("/\(path)?\(UUID().uuidString)")
        let first = await Operation.send.run(
          Request(.get, server.url("/\(path)")),
          with: subject.client
        )
        var request = Request(.post, url)
        request.body = .bytes(Wire.body)
        request.timeouts.total = .seconds(30)
        let ending = await operation.run(request, with: subject.client)
        var problems = Expectation.error("connection").problems(with: ending)
        if case .value = first {} else { problems.append("the first: \(first)") }
        let count = try? Control.ask(server.ports[0], "/seen?\(url.query() ?? "")")
        if count != "1" { problems.append("it came \(count ?? "?") times") }
        notebook.note(
          "a POST on a connection \(path), \(operation)",
          "\(ending)",
          problems: problems
        )
        await subject.disk.close()
      }
    }
  }
}
#endif
