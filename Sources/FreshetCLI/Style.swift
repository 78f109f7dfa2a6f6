import Foundation

/// Colours on the terminal behind standard error, each with one meaning.
///
/// There are none where standard error is no terminal, where `NO_COLOR` is set and not empty, and
/// where `TERM` is `dumb`.
enum Style: String {
  /// Something is right and fresh.
  case good = "32"
  /// Something is of use but not fresh.
  case doubtful = "33"
  /// Something has failed.
  case bad = "31"
  /// What can be passed over.
  case faint = "2"

  static let isOn = isOn(
    ProcessInfo.processInfo.environment,
    isTerminal: Console.terminalWidth != nil
  )

  static func isOn(_ environment: [String: String], isTerminal: Bool) -> Bool {
    isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
  }

  func callAsFunction(_ text: String, isOn: Bool = Style.isOn) -> String {
    isOn ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
