#if os(Linux)
import Foundation
import Freshet

/// Servers with TLS that are not what they should be, and those that speak HTTP/2 wrongly.
struct SecureExperiment {
  enum Kind: Sendable {
    case tls, http2
  }

  let bench: Bench
  let notebook: Notebook
  let kind: Kind

  init(_ bench: Bench, _ notebook: Notebook, _ kind: Kind) {
    self.bench = bench
    self.notebook = notebook
    self.kind = kind
  }

  func run() async throws {
    let folder = bench.folder("tls")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let faults = [SecureFault.sound] + (kind == .tls ? SecureFault.tls : SecureFault.http2)
    let server = try ServerProcess.python(
      "Secure/server.py",
      [folder.path] + faults.map(\.name)
    )
    defer { server.stop() }
    let authority = folder.appending(path: "ca.pem")
    let trials = FaultTrials(
      bench: bench,
      notebook: notebook,
      sound: server.url("/", scheme: "https", host: "localhost")
    ) {
      CurlTransport {
        $0.proxy = .none
        $0.trust = .file(authority)
      }
    }
    await trials.warmUp()
    for (index, fault) in faults.enumerated() {
      await trials.run(
        fault.name,
        at: server.url("/", scheme: "https", host: "localhost", port: index),
        fault.expectation,
        operations: fault.operations
      ) { request in
        // What the server makes of its stream takes the time of a handshake, on a busy machine.
        request.timeouts.connect = fault.name.contains("silent") ? .milliseconds(500) : .seconds(5)
        request.timeouts.firstByte = .seconds(1)
        request.timeouts.idle = .milliseconds(600)
        fault.change(&request)
      }
    }
  }
}
#endif
