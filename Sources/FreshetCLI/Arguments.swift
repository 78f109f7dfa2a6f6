import Foundation

/// The arguments of a command, read from the left: options with their values, and the rest.
///
/// The value of a long option may follow a `=`, that of a short one its letter.
struct Arguments {
  private var rest: ArraySlice<String>
  private let command: String
  /// What came last as one word: the option as it is written, and its value.
  private var written = ""
  private var attached: String?
  private(set) var operands: [String] = []

  init(_ arguments: [String], of command: String) {
    rest = arguments[...]
    self.command = command
  }

  /// The next option; what is none is gathered in ``operands``.
  mutating func nextOption() throws(UsageError) -> String? {
    if attached != nil { throw UsageError("\(written) takes no value") }
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        rest = []
      } else if argument.hasPrefix("-"), argument != "-" {
        return option(argument)
      } else {
        operands.append(argument)
      }
    }
    return nil
  }

  private mutating func option(_ argument: String) -> String {
    written = argument
    if argument.hasPrefix("--") {
      guard let sign = argument.firstIndex(of: "=") else { return argument }
      written = String(argument[..<sign])
      attached = String(argument[argument.index(after: sign)...])
      return written
    }
    if argument.count > 2 { attached = String(argument.dropFirst(2)) }
    return String(argument.prefix(2))
  }

  /// The value of the option that came last, which may begin as an option does.
  mutating func text(of option: String) throws(UsageError) -> String {
    guard let value = attached.take() ?? rest.popFirst() else { throw missing(option) }
    return value
  }

  /// The value of the option that came last.
  mutating func value(of option: String) throws(UsageError) -> String {
    // The next option is no value that was forgotten.
    if attached == nil, let next = rest.first, next.hasPrefix("--") { throw missing(option) }
    return try text(of: option)
  }

  /// The path of a file that follows the option that came last.
  mutating func path(of option: String) throws(UsageError) -> String {
    let isAttached = attached != nil
    let path = try value(of: option)
    guard !path.isEmpty else { throw missing(option) }
    guard isAttached || !path.hasPrefix("-") || path == "-" else {
      throw UsageError("\(option) needs a value; a path that begins with '-' is written ./\(path)")
    }
    return path
  }

  /// The directory that follows the option that came last.
  mutating func directory(of option: String) throws(UsageError) -> URL {
    URL(filePath: try path(of: option), directoryHint: .isDirectory)
  }

  private func missing(_ option: String) -> UsageError {
    UsageError("\(option) needs a value")
  }

  func unknown(_ option: String) -> UsageError {
    UsageError("'freshet \(command)' has no option '\(written)'")
  }

  func refuseOperands() throws(UsageError) {
    if let first = operands.first { throw UsageError("'freshet \(command)' takes no '\(first)'") }
  }
}
