#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport

/// Proxies that lie: the fault server, taken for one.
struct ProxyExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let server = try await ServerProcess.wire()
    defer { server.stop() }
    try await FaultTrials(bench: bench, notebook: notebook, sound: server.url("/sound")) {
      CurlTransport { $0.proxy = .none }
    }
    .warmUp()
    let failures = Expectation.error(
      "connection",
      "insecure",
      "invalidResponse",
      "limitExceeded",
      "timedOut"
    )
    for lie in WireFault.proxies {
      let proxy = server.url("/")
      // The proxy is asked for the name of the fault, as if that were a host.
      guard let url = URL(string: "https://\(lie.path)/") else { continue }
      let trials = FaultTrials(bench: bench, notebook: notebook, sound: server.url("/sound")) {
        CurlTransport { $0.proxy = .url(proxy) }
      }
      await trials.run("proxy that \(lie.name)", at: url, failures)
    }
    let proxy = server.closed
    let trials = FaultTrials(bench: bench, notebook: notebook, sound: server.url("/sound")) {
      CurlTransport { $0.proxy = .url(proxy) }
    }
    await trials.run("proxy that is not there", at: server.url("/x"), failures, hasNext: false)
  }
}
#endif
