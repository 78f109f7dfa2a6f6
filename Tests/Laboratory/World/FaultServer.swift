#if os(Linux)
import Foundation
import FreshetTesting
import TestSupport

/// The servers of the laboratory, in a process of their own, so that what the client's process holds
/// is the client's.
enum FaultServer {
  /// Serves until the standard input ends.
  static func serve(_ role: String) async throws {
    guard role == "wire" else { throw LabError("nobody serves \(role)") }
    let answers = WireFault.all.map { ("/\($0.path)", $0) }
    // A proxy is asked for a host and a port.
    let tunnels = WireFault.proxies.map { ("\($0.path):443", $0) }
    let faults = Dictionary(uniqueKeysWithValues: answers + tunnels)
    let server = try RawServer { play($0, faults) }
    write("\(server.port)")
    while readLine() != nil {}
    // Connections may still be played; they end with the process.
    withExtendedLifetime(server) {}
  }

  private static func play(_ connection: RawConnection, _ faults: [String: WireFault]) {
    var isLast = false
    while let head = connection.readHead() {
      // The connection was marked: it ends when it is used again.
      if isLast { return connection.end() }
      let words = head.split(separator: " ", maxSplits: 2)
      guard words.count == 3 else { return connection.end() }
      let path = words[1].split(separator: "?").first.map(String.init) ?? ""
      guard let fault = faults[path] else {
        connection.write(Wire.sound)
        continue
      }
      switch fault.play(connection, head) {
      case .goesOn: continue
      case .endsWhenUsedAgain: isLast = true
      case .ends: return connection.end()
      case .resets: return connection.reset()
      case .holds:
        _ = connection.waitForEnd()
        return
      case .sleeps:
        sleep(8)
        return connection.end()
      }
    }
  }
}

/// What becomes of a connection after a fault.
enum Aftermath: Sendable {
  case goesOn, endsWhenUsedAgain, ends, resets
  /// It stays and is read, and nothing more is said.
  case holds
  /// It stays for a while, and nobody reads.
  case sleeps
}
#endif
