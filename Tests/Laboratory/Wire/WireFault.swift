#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting
import TestSupport

/// Something that a server does wrong, or unusually, and what has to come of it.
struct WireFault: Sendable {
  let name: String
  let expectation: Expectation
  var operations = Operation.allCases
  var change: @Sendable (inout Request) -> Void = { _ in }
  /// Whether it is over at once, so that a soak can have many of them.
  var isQuick = true
  let play: @Sendable (RawConnection, String) -> Aftermath

  /// The name as a part of a URL.
  var path: String { name.map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined() }

  init(
    _ name: String,
    _ expectation: Expectation,
    _ play: @escaping @Sendable (RawConnection, String) -> Aftermath
  ) {
    self.name = name
    self.expectation = expectation
    self.play = play
  }

  /// A fault that is a row of bytes.
  init(_ name: String, _ bytes: Data, _ expectation: Expectation, then aftermath: Aftermath = .ends)
  {
    self.init(name, expectation) { connection, _ in
      connection.write(bytes)
      return aftermath
    }
  }

  init(
    _ name: String,
    _ bytes: String,
    _ expectation: Expectation,
    then aftermath: Aftermath = .ends
  ) {
    self.init(name, Data(bytes.utf8), expectation, then: aftermath)
  }

  /// One that takes its time.
  var slow: WireFault {
    var fault = self
    fault.isQuick = false
    return fault
  }

  func only(_ operations: Operation...) -> WireFault {
    var fault = self
    fault.operations = operations
    return fault
  }

  func asked(_ change: @escaping @Sendable (inout Request) -> Void) -> WireFault {
    var fault = self
    fault.change = change
    return fault
  }

  static let all =
    connections + times + lengths + chunks + heads + statusLines + fields + encodings + sequences
    + uploads + headRequests
}

/// Waits as long as it takes the other side to read what it has got.
func breathe(_ milliseconds: UInt32 = 15) {
  usleep(milliseconds * 1_000)
}
#endif
