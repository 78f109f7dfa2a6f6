import Foundation
import Freshet

/// The arguments of a command, read from the left: options with their values, and the rest.
///
/// The value of a long option may follow a `=`, that of a short one its letter. Short ones without
/// values may be one word, the last of them with its value, such as `-sSo FILE`.
struct Arguments {
  private var rest: ArraySlice<String>
  private let command: String
  /// The last argument: the option as it is written, and its attached value.
  private var written = ""
  private var attached: String?
  /// The word that the option is a letter of, if that has more letters.
  private var word: String?
  private(set) var operands: [String] = []

  init(_ arguments: [String], of command: String) {
    rest = arguments[...]
    self.command = command
  }

  /// Returns the next option; other arguments are collected in ``operands``.
  ///
  /// - Throws: ``UsageError``, also for an option that asks for help.
  mutating func nextOption() throws(UsageError) -> String? {
    let option = try nextWrittenOption()
    if let option { try Self.offerHelp([option]) }
    return option
  }

  /// Throws if a word asks for help.
  static func offerHelp(_ words: [String]) throws(UsageError) {
    guard words.contains(where: { ["--help", "-h"].contains($0) }) else { return }
    var help = UsageError("")
    help.asksForHelp = true
    throw help
  }

  private mutating func nextWrittenOption() throws(UsageError) -> String? {
    if let rest = attached.take() {
      guard word != nil else { throw UsageError("\(written) takes no value") }
      return letter(of: rest)
    }
    word = nil
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
    if argument.count > 2 { word = argument }
    return letter(of: String(argument.dropFirst()))
  }

  /// The option that is the first of some letters; the others are its value, or options too.
  private mutating func letter(of letters: String) -> String {
    if letters.count > 1 { attached = String(letters.dropFirst()) }
    written = "-\(letters.prefix(1))"
    return written
  }

  /// Returns the value of the last option, which may begin like an option.
  mutating func text(of option: String) throws(UsageError) -> String {
    guard let value = attached.take() ?? rest.popFirst() else { throw missing(option) }
    return value
  }

  /// Returns the value of the last option.
  mutating func value(of option: String) throws(UsageError) -> String {
    // A following option means that the value was forgotten.
    if attached == nil, let next = rest.first, next.hasPrefix("--") { throw missing(option) }
    return try text(of: option)
  }

  /// Returns the value of the last option, which is not empty.
  mutating func content(of option: String) throws(UsageError) -> String {
    let value = try value(of: option)
    guard !value.isEmpty else { throw missing(option) }
    return value
  }

  mutating func path(of option: String) throws(UsageError) -> String {
    let isAttached = attached != nil
    let path = try value(of: option)
    guard !path.isEmpty else { throw missing(option) }
    guard isAttached || !path.hasPrefix("-") || path == "-" else {
      throw UsageError("\(option) needs a value; write a path that begins with '-' as ./\(path)")
    }
    return path
  }

  mutating func directory(of option: String) throws(UsageError) -> URL {
    URL(filePath: try path(of: option), directoryHint: .isDirectory)
  }

  /// Adds the header field that is the value of the last option, or those on the lines of `@FILE`, so that a
  /// token need not be among the arguments, which other users of the machine see.
  mutating func addHeader(
    of option: String,
    to headers: inout HTTPHeaders
  ) throws(UsageError) {
    let text = try self.text(of: option)
    guard text.hasPrefix("@") else { return try Self.addHeader(text, to: &headers) }
    let file = Input(String(text.dropFirst()))
    let bytes: Data
    do throws(Descriptor.Code) {
      bytes = try file.read()
    } catch {
      throw UsageError("the header fields of \(file.name) cannot be read: \(error.reason)")
    }
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    where !line.allSatisfy(\.isWhitespace) {
      try Self.addHeader(line, to: &headers)
    }
  }

  private static func addHeader(
    _ field: some StringProtocol,
    to headers: inout HTTPHeaders
  ) throws(UsageError) {
    let parts =
      field
      .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError("--header takes 'Name: value' or @FILE with such lines")
    }
    headers.add(parts[1], for: HTTPHeaders.Name(parts[0]))
  }

  private func missing(_ option: String) -> UsageError {
    UsageError("\(option) needs a value")
  }

  func unknown(_ option: String) -> UsageError {
    // What follows the letter may be its value, such as a password.
    let letters = word.map { $0.dropLast(attached?.count ?? 0) } ?? ""
    let place = letters.count > 2 ? " in '\(letters)'" : ""
    let hint = UnknownOption.hint(word ?? written, letter: written, of: command)
    return UsageError("'freshet \(command)' has no option '\(written)'\(place)\(hint)")
  }

  func refuseOperands() throws(UsageError) {
    guard let first = operands.first else { return }
    throw UsageError("'freshet \(command)' takes no '\(URLText.shown(first))'")
  }
}
