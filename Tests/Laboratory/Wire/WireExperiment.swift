#if os(Linux)
import Foundation
import Freshet

/// All that can go wrong between a socket's two ends.
struct WireExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let server = try ServerProcess.wire()
    defer { server.stop() }
    let trials = FaultTrials(bench: bench, notebook: notebook, sound: server.url("/sound")) {
      CurlTransport { $0.proxy = .none }
    }
    await trials.warmUp()
    await trials.run("sound", at: server.url("/sound"), .value(Wire.soundBody))
    for fault in WireFault.all {
      await trials.run(
        fault.name,
        at: server.url("/\(fault.path)"),
        fault.expectation,
        operations: fault.operations,
        // Before it has come, nobody can tell it from the answer to the next request.
        rest: fault.name.contains("late") ? .milliseconds(50) : .zero,
        change: fault.change
      )
    }
    await trials.run("refused", at: server.closed, .error("connection"))
    for host in ["nobody.invalid", "a..b", String(repeating: "a", count: 300) + ".invalid"] {
      guard let url = URL(string: "http://\(host)/") else { continue }
      await trials.run(
        "no address for \(host.prefix(20))",
        at: url,
        .error("connection", "invalidRequest")
      )
    }
  }
}

extension ServerProcess {
  /// Where nobody listens.
  var closed: URL { URL(string: "http://127.0.0.1:1/") ?? url("/") }
}
#endif
