/// One of the tool's commands, read from its arguments.
enum Command {
  case help(String)
  case tour
  case fetch(FetchOptions)
  case seed(SeedOptions)
  case store(StoreOptions)

  init(_ arguments: [String]) throws(UsageError) {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case nil, "help", "--help", "-h":
      self = .help(Help.overview)
    case "tour":
      self = try Command.tour(rest)
    case let name? where Help.commands[name] != nil && Self.wantsHelp(rest):
      self = .help(Help.commands[name] ?? Help.overview)
    case "fetch":
      self = .fetch(try FetchOptions(rest))
    case "seed":
      self = .seed(try SeedOptions(rest))
    case "store":
      self = .store(try StoreOptions(rest))
    case let name?:
      throw UsageError("there is no command '\(name)'")
    }
  }

  private static func wantsHelp(_ arguments: [String]) -> Bool {
    arguments.contains("--help") || arguments.contains("-h")
  }

  private static func tour(_ arguments: [String]) throws(UsageError) -> Command {
    switch arguments.first {
    case nil: .tour
    case "--help", "-h": .help(Help.tour)
    case let argument?: throw UsageError("'freshet tour' takes no '\(argument)'")
    }
  }
}

/// Why the arguments make no sense.
struct UsageError: Error {
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
