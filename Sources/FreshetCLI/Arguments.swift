/// The arguments of a command, read from the left: options with their values, and the rest.
struct Arguments {
  private var rest: ArraySlice<String>
  private let command: String
  private(set) var operands: [String] = []

  init(_ arguments: [String], of command: String) {
    rest = arguments[...]
    self.command = command
  }

  /// The next option; what is none is gathered in ``operands``.
  mutating func nextOption() -> String? {
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        rest = []
      } else if argument.hasPrefix("-"), argument != "-" {
        return argument
      } else {
        operands.append(argument)
      }
    }
    return nil
  }

  /// The value of the option that came last.
  mutating func value(of option: String) throws(UsageError) -> String {
    guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
    return value
  }

  func unknown(_ option: String) -> UsageError {
    UsageError("'freshet \(command)' has no option '\(option)'")
  }

  func refuseOperands() throws(UsageError) {
    if let first = operands.first { throw UsageError("'freshet \(command)' takes no '\(first)'") }
  }
}
