/// One of the tool's commands, read from its arguments.
enum Command {
  /// A text to print.
  case text(String)
  case tour
  case fetch(FetchOptions)
  case explain(FetchOptions)
  case seed(SeedOptions)
  case store(StoreOptions)
  case stats(StatsOptions)
  case inspect(InspectOptions)
  case upload(UploadCommandOptions)
  case socket(SocketOptions)

  init(_ arguments: [String]) throws(UsageError) {
    let rest = Array(arguments.dropFirst())
    guard let name = arguments.first, !["--help", "-h"].contains(name) else {
      self = .text(HelpText().overview)
      return
    }
    guard name != "--version" else {
      self = .text("freshet \(Version.current)")
      return
    }
    guard let page = Manual.page(name) else { throw UsageError(noCommand: name) }
    guard !Self.wantsHelp(rest) else {
      self = .text(HelpText().text(page))
      return
    }
    switch name {
    case "tour":
      try Self.refuse(rest, of: name)
      self = .tour
    case "man":
      try Self.refuse(rest, of: name)
      self = .text(ManPage.text)
    case "fetch": self = .fetch(try FetchOptions(rest))
    case "explain": self = .explain(try FetchOptions(explaining: rest))
    case "seed": self = .seed(try SeedOptions(rest))
    case "store": self = .store(try StoreOptions(rest))
    case "stats": self = .stats(try StatsOptions(rest))
    case "inspect": self = .inspect(try InspectOptions(rest))
    case "upload": self = .upload(try UploadCommandOptions(rest))
    case "socket": self = .socket(try SocketOptions(rest))
    case "completion": self = .text(try Self.completion(rest))
    default: self = .text(try Self.help(rest))
    }
  }

  private static func wantsHelp(_ arguments: [String]) -> Bool {
    // Everything after two hyphens is a URL.
    arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
  }

  private static func refuse(_ arguments: [String], of name: String) throws(UsageError) {
    if let first = arguments.first { throw UsageError("'freshet \(name)' takes no '\(first)'") }
  }

  private static func completion(_ arguments: [String]) throws(UsageError) -> String {
    guard let name = arguments.first, arguments.count == 1, let shell = Completion(rawValue: name)
    else { throw UsageError("'freshet completion' takes one of bash, zsh and fish") }
    return shell.script
  }

  private static func help(_ arguments: [String]) throws(UsageError) -> String {
    guard let name = arguments.first else { return HelpText().overview }
    guard let page = Manual.page(name) else { throw UsageError(noCommand: name) }
    return HelpText().text(page)
  }
}

/// The reason why the arguments are invalid.
struct UsageError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }

  /// Makes the error for an unknown command, with similar names as a hint.
  init(noCommand name: String) {
    let near = Manual.pages.map(\.name).filter { Spelling.isNear(name, $0) }
    let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    message = "there is no command '\(name)'\(hint)"
  }
}
