import Foundation

/// Colours on the terminal of standard error, each with one meaning.
///
/// There are none if standard error is no terminal, if `NO_COLOR` is set and not empty, or if
/// `TERM` is `dumb`.
enum Style: String {
  /// A valid and fresh result.
  case good = "32"
  /// A usable result that is not fresh.
  case doubtful = "33"
  /// A failure.
  case bad = "31"
  /// Secondary information.
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
