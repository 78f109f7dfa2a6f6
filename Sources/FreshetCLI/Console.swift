import Foundation

/// Standard output and standard error.
enum Console {
  static func out(_ line: String) {
    write(Data("\(line)\n".utf8), to: .standardOutput)
  }

  static func error(_ line: String) {
    write(Data("\(line)\n".utf8), to: .standardError)
  }

  static func write(_ data: Data, to handle: FileHandle) {
    // A reader that has gone away wants nothing more; there is nobody to tell.
    try? handle.write(contentsOf: data)
  }

  /// The width of the terminal behind standard error in columns, or `nil` if it is none.
  static var terminalWidth: Int? {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
