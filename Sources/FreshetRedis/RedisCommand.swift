#if Redis && !canImport(Darwin)
import FreshetEssentials

enum RedisArgument: Sendable {
  case text(String)
  case data(Data)

  static func number(_ number: some BinaryInteger) -> RedisArgument { .text("\(number)") }
}

/// A command, to be written to a connection.
enum RedisCommand: Sendable {
  /// The words of a command.
  case words([RedisArgument])
  /// A script with its keys and its arguments.
  case script(RedisScript, keys: [String], [RedisArgument])

  /// The same command with the source of its script, for a server that may not have the script.
  var withSource: RedisCommand {
    guard case .script(let script, let keys, let arguments) = self else { return self }
    let head: [RedisArgument] = [.text("EVAL"), .text(script.source), .number(keys.count)]
    return .words(head + keys.map(RedisArgument.text) + arguments)
  }

  private var words: [RedisArgument] {
    switch self {
    case .words(let words): return words
    case .script(let script, let keys, let arguments):
      let head: [RedisArgument] = [.text("EVALSHA"), .text(script.name), .number(keys.count)]
      return head + keys.map(RedisArgument.text) + arguments
    }
  }

  /// Appends the bytes of the command.
  func write(to bytes: inout [UInt8]) {
    let words = words
    bytes.append(contentsOf: "*\(words.count)\r\n".utf8)
    for word in words {
      switch word {
      case .text(let text):
        bytes.append(contentsOf: "$\(text.utf8.count)\r\n".utf8)
        bytes.append(contentsOf: text.utf8)
      case .data(let data):
        bytes.append(contentsOf: "$\(data.count)\r\n".utf8)
        bytes.append(contentsOf: data)
      }
      bytes.append(contentsOf: "\r\n".utf8)
    }
  }
}
#endif
