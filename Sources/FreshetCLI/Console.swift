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
  static var terminalWidth: Int? { width(STDERR_FILENO) }

  /// How long lines on standard output may be: as wide as its terminal, and 100 columns elsewhere.
  static var textWidth: Int { width(STDOUT_FILENO) ?? 100 }

  private static func width(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}
