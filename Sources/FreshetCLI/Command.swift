protocol RunnableCommand {
  func run() async -> ExitStatus
}

/// One of the tool's commands, read from its arguments.
enum Command {
  /// A text to print.
  case text(String)
  case run(any RunnableCommand)

  init(_ arguments: [String]) throws(UsageError) {
    let rest = Array(arguments.dropFirst())
    guard let name = arguments.first, !["--help", "-h"].contains(name) else {
      self = .text(HelpText().overview)
      return
    }
    guard name != "--version" else {
      if let word = rest.first {
        throw UsageError("'freshet --version' takes no '\(URLText.shown(word))'")
      }
      self = .text("freshet \(Version.current)")
      return
    }
    guard let page = Manual.page(name) else { throw UsageError(noCommand: name) }
    do throws(UsageError) {
      self = try Self.command(name, rest)
    } catch {
      guard error.asksForHelp else { throw error }
      self = .text(HelpText().text(page))
    }
  }

  private static func command(_ name: String, _ rest: [String]) throws(UsageError) -> Command {
    switch name {
    case "tour":
      try parsed(rest, of: name).refuseOperands()
      return .run(TourCommand())
    case "man":
      try parsed(rest, of: name).refuseOperands()
      return .text(ManPage.text)
    case "fetch": return .run(FetchCommand(options: try FetchOptions(rest)))
    case "explain": return .run(ExplainCommand(options: try FetchOptions(explaining: rest)))
    case "seed": return .run(SeedCommand(options: try SeedOptions(rest)))
    case "store": return .run(StoreCommand(options: try StoreOptions(rest)))
    case "stats": return .run(StatsCommand(options: try StatsOptions(rest)))
    case "inspect": return .run(InspectCommand(options: try InspectOptions(rest)))
    case "upload": return .run(UploadCommand(options: try UploadCommandOptions(rest)))
    case "socket": return .run(SocketCommand(options: try SocketOptions(rest)))
    case "completion": return .text(try completion(rest))
    default: return .text(try help(rest))
    }
  }

  /// Returns the arguments of a command without options.
  private static func parsed(
    _ arguments: [String],
    of name: String
  ) throws(UsageError) -> Arguments {
    var arguments = Arguments(arguments, of: name)
    if let option = try arguments.nextOption() { throw arguments.unknown(option) }
    return arguments
  }

  private static func completion(_ arguments: [String]) throws(UsageError) -> String {
    let names = try parsed(arguments, of: "completion").operands
    guard let name = names.first, names.count == 1, let shell = Completion(rawValue: name)
    else { throw UsageError("'freshet completion' takes one of bash, zsh and fish") }
    return shell.script
  }

  private static func help(_ arguments: [String]) throws(UsageError) -> String {
    let names = try parsed(arguments, of: "help").operands
    guard let name = names.first else { return HelpText().overview }
    guard names.count == 1 else { throw UsageError("'freshet help' takes one command") }
    guard let page = Manual.page(name) else { throw UsageError(noCommand: name) }
    return HelpText().text(page)
  }
}

/// The reason why the arguments are invalid.
struct UsageError: Error {
  let message: String
  /// A Boolean value that indicates whether one of them asks for the help of the command.
  var asksForHelp = false

  init(_ message: String) {
    self.message = message
  }

  /// Makes the error for an unknown command, with similar names as a hint.
  init(noCommand name: String) {
    let near = Manual.pages.map(\.name).filter { Spelling.isNear(name, $0) }
    let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: " or "))?"
    message = "there is no command '\(URLText.shown(name))'\(hint)"
  }
}
