#if !canImport(Darwin)
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
    let ledger = Ledger()
    let server = try RawServer { play($0, faults, ledger) }
    write("\(server.port)")
    while readLine() != nil {}
    // Connections may still be played; they end with the process.
    withExtendedLifetime(server) {}
  }

  private static func play(
    _ connection: RawConnection,
    _ faults: [String: WireFault],
    _ ledger: Ledger
  ) {
    // What happens when the connection is used once more, if it was marked.
    var last: Aftermath?
    while let head = connection.readHead() {
      let words = head.split(separator: " ", maxSplits: 2)
      guard words.count == 3 else { return connection.end() }
      let parts = words[1].split(separator: "?", maxSplits: 1).map(String.init)
      let (path, token) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
      if path == "/seen" || path == "/mend" {
        if path == "/mend" { ledger.mend(token) }
        connection.write(Wire.response(Data(ledger.report(token).utf8)))
        return connection.end()
      }
      let isFirst = token.isEmpty || ledger.note(token)
      if let last {
        readBody(of: head, from: connection)
        return last == .halfCloses ? halfClose(connection) : connection.end()
      }
      guard let fault = faults[path], !ledger.isMended(token) else {
        ledger.noteSound()
        readBody(of: head, from: connection)
        connection.write(words[0] == "HEAD" ? Wire.soundHead : Wire.sound)
        continue
      }
      if isFirst, token.hasPrefix("old") {
        connection.write(Wire.old)
        continue
      }
      switch fault.play(connection, head) {
      case .goesOn: continue
      case .endsWhenUsedAgain: last = .ends
      case .halfClosesWhenUsedAgain: last = .halfCloses
      case .ends: return connection.end()
      case .halfCloses: return halfClose(connection)
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

  private static func readBody(of head: String, from connection: RawConnection) {
    let field = head.split(separator: "\r\n")
      .first { $0.lowercased().hasPrefix("content-length:") }
    let length = field?.split(separator: ":").last
      .flatMap { Int($0.trimmingCharacters(in: .whitespaces)) }
    guard let length, length > 0 else { return }
    if head.lowercased().contains("expect: 100-continue") {
      connection.write("HTTP/1.1 100 Continue\r\n\r\n")
    }
    _ = connection.read(length)
  }

  /// Says no more, and listens until the other side has nothing to say either.
  private static func halfClose(_ connection: RawConnection) {
    connection.halfClose()
    _ = connection.waitForEnd()
  }
}

/// What becomes of a connection after a fault.
enum Aftermath: Sendable {
  case goesOn, ends, resets
  /// What comes next on it is read and not answered.
  case endsWhenUsedAgain, halfClosesWhenUsedAgain
  /// It is read, but what comes from here has ended.
  case halfCloses
  /// It stays and is read, and nothing more is said.
  case holds
  /// It stays for a while, and nobody reads.
  case sleeps
}
#endif
