import Foundation
import Freshet

/// Standard output and standard error.
enum Console {
  /// Prints a line.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if standard output cannot be written.
  static func out(_ line: String) throws(FreshetError) {
    try write(Data("\(line)\n".utf8))
  }

  /// Writes bytes to standard output.
  ///
  /// - Returns: A Boolean value that indicates whether there is still a reader: a closed pipe is no error.
  /// - Throws: ``FreshetError/file(_:path:)`` if standard output cannot be written.
  @discardableResult
  static func write(_ data: Data) throws(FreshetError) -> Bool {
    switch Descriptor.write(data, to: STDOUT_FILENO) {
    case .written: true
    case .unwanted: false
    case .failed(let problem): throw .file(problem, path: outputName)
    }
  }

  static func error(_ line: String) {
    show("\(line)\n")
  }

  /// Reports the failure of a URL, on standard error or as a JSON object on standard output.
  static func report(_ error: FreshetError, of url: String, as format: FetchOptions.Format) {
    guard format == .json else {
      return Self.error("\(URLText.shown(url)): \(Printable.line(error.description))")
    }
    report(JSONLine(error, of: url))
  }

  /// Prints the line of a failure; if that fails, standard error gets the reason.
  static func report(_ line: JSONLine) {
    do throws(FreshetError) {
      try out(line.text)
    } catch {
      Self.error("freshet: \(error)")
    }
  }

  /// Returns a Boolean value that indicates whether the error is that standard output cannot be
  /// written.
  static func isOutputFailure(_ error: FreshetError) -> Bool {
    if case .file(_, path: outputName) = error { true } else { false }
  }

  private static let outputName = "standard output"

  /// Writes text to standard error; a failure is ignored.
  static func show(_ text: String) {
    _ = Descriptor.write(Data(text.utf8), to: STDERR_FILENO)
  }

  /// The width of the terminal behind standard error in columns, or `nil` if it is none.
  static var terminalWidth: Int? { width(STDERR_FILENO) }

  /// A Boolean value that indicates whether standard output is a terminal.
  static var showsOutput: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The width of a terminal on which the cursor can be moved, or `nil`.
  static var boardWidth: Int? {
    boardWidth(ProcessInfo.processInfo.environment, terminalWidth: terminalWidth)
  }

  static func boardWidth(_ environment: [String: String], terminalWidth: Int?) -> Int? {
    environment["TERM"] == "dumb" ? nil : terminalWidth
  }

  /// The width of lines on standard output: that of its terminal, or 100 columns elsewhere.
  static var textWidth: Int { width(STDOUT_FILENO) ?? 100 }

  private static func width(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
