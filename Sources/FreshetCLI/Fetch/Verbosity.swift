import Foundation

/// The amount of output on standard error.
enum Verbosity: Sendable {
  /// Everything.
  case usual
  /// Errors only, as `-sS` says.
  case errors
  /// Nothing, as `-s` says.
  case silent

  var showsErrors: Bool { self != .silent }
  var showsNotes: Bool { self == .usual }

  func error(_ text: String) {
    if showsErrors { Console.error("freshet: \(text)") }
  }

  /// Tells something that is no error.
  func note(_ text: String) {
    if showsNotes { Console.error("freshet: \(text)") }
  }
}
