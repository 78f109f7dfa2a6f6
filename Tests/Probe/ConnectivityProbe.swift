#if canImport(CLinux)
import Foundation
import Freshet

/// Watches the interfaces of a network namespace of its own, which it takes up and down.
enum ConnectivityProbe {
  static func run() async throws -> [String] {
    var lines: [String] = []
    try ip("link", "add", "v0", "type", "veth", "peer", "name", "v1")
    try ip("link", "set", "v1", "up")
    let network = Connectivity.system
    lines.append(network.state.rawValue)
    let client = Client {
      $0.timeouts.waitsForConnectivity = true
      $0.retry = .never
    }
    let running = client.send(try Request("http://10.9.9.1:9/")).start()
    while !client.activity.calls.contains(where: \.isWaitingForConnectivity) { await Task.yield() }
    lines.append("waiting")
    try ip("addr", "add", "10.9.9.1/24", "dev", "v0")
    lines.append(network.state.rawValue)
    try ip("link", "set", "v0", "up")
    do {
      _ = try await running.value
    } catch {
      lines.append(error.kind)
    }
    lines.append(network.state.rawValue)
    try ip("link", "set", "v0", "down")
    for await state in network.states where state == .offline {
      lines.append(state.rawValue)
      break
    }
    return lines
  }

  private static func ip(_ arguments: String...) throws {
    let process = try Process.run(
      URL(filePath: "/usr/bin/env"),
      arguments: ["ip"] + arguments
    )
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { fatalError("ip \(arguments) has failed") }
  }
}
#endif
