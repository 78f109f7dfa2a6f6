#if Redis && !canImport(Darwin)
import CHiredis
import Freshet
import FreshetEssentials

enum RedisReply: Sendable, Hashable {
  case null
  case integer(Int64)
  case data(Data)
  case status(String)
  case error(String)
  case array([RedisReply])

  /// Copies a reply of hiredis.
  init(_ reply: UnsafePointer<redisReply>) {
    let reply = reply.pointee
    switch reply.type {
    case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
    case REDIS_REPLY_STRING: self = .data(Data(bytes: reply.str, count: Int(reply.len)))
    case REDIS_REPLY_STATUS: self = .status(Self.text(reply))
    case REDIS_REPLY_ERROR: self = .error(Self.text(reply))
    case REDIS_REPLY_ARRAY:
      self = .array(
        (0..<Int(reply.elements))
          .map { index in
            reply.element[index].map { RedisReply($0) } ?? .null
          }
      )
    default: self = .null
    }
  }

  /// Returns a Boolean value that indicates whether an error has a code, such as `OOM`.
  ///
  /// Up to Redis 6.2 the code of an error in a script follows the name of the script.
  static func isError(_ text: String, _ code: String) -> Bool {
    text.hasPrefix(code) || text.contains(": -\(code) ")
  }

  private static func text(_ reply: redisReply) -> String {
    String(decoding: UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len)), as: UTF8.self)
  }

  var data: Data? { if case .data(let data) = self { data } else { nil } }
  /// The text of a string or a status.
  var text: String? {
    switch self {
    case .data(let data): String(decoding: data, as: UTF8.self)
    case .status(let text): text
    default: nil
    }
  }
  /// The number, also of one that is written as a string.
  var number: Int64? {
    if case .integer(let number) = self { number } else { text.flatMap { Int64($0) } }
  }
  var elements: [RedisReply]? { if case .array(let elements) = self { elements } else { nil } }
  /// The values of a hash, or of an entry of a stream, by their names; empty for another reply.
  var fields: [String: RedisReply] {
    let words = elements ?? []
    var fields: [String: RedisReply] = [:]
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      if let name = words[index].text { fields[name] = words[index + 1] }
    }
    return fields
  }
}

/// The reason why a command has no reply.
struct RedisFailure: Error, Sendable, Hashable {
  let failure: StoreFailure
  /// A Boolean value that indicates whether the server has certainly not executed the command.
  var isUnexecuted = false
  /// The error with which the server has answered.
  private var refusal: Refusal?

  private enum Refusal: Sendable, Hashable {
    case command(String)
    /// The greeting of a connection.
    case connection(String)
  }

  init(_ reason: String, isUnexecuted: Bool = false) {
    failure = StoreFailure(reason)
    self.isUnexecuted = isUnexecuted
  }

  /// Makes the failure of a command that the server has answered with an error.
  init(refused text: String) {
    self.init("the server refused the command: \(text.prefix(200))", isUnexecuted: true)
    refusal = .command(text)
  }

  /// Makes the failure of a connection whose greeting the server has answered with an error.
  init(refusedConnection text: String) {
    // The words of a command that the server does not know: of a login, with the password.
    let words = text.prefix(upTo: text.firstRange(of: ", with args")?.lowerBound ?? text.endIndex)
    self.init("the server refused the connection: \(words.prefix(200))")
    refusal = .connection(text)
  }

  /// Makes the failure of a write that came too late.
  init(late reason: StoreFailure.Reason) {
    failure = StoreFailure(reason)
  }

  static let closed = RedisFailure("the store is closed")
  static let unreadable = RedisFailure("the server's reply cannot be read")

  var reason: String { failure.description }
  /// A Boolean value that indicates whether the server has answered a command with an error.
  var isRefusal: Bool { if case .command = refusal { true } else { false } }

  /// Returns a Boolean value that indicates whether the server has answered a command with an error of one of
  /// these codes.
  func isRefused(by codes: [String]) -> Bool {
    guard case .command(let text) = refusal else { return false }
    return codes.contains { RedisReply.isError(text, $0) }
  }

  /// A Boolean value that indicates whether the server has refused the user or the password.
  var isRefusedPassword: Bool {
    guard case .connection(let text) = refusal else { return false }
    return ["WRONGPASS", "NOAUTH", "ERR AUTH"].contains { RedisReply.isError(text, $0) }
  }
  /// A Boolean value that indicates whether it is not going to end by itself.
  var isFinal: Bool {
    if isRefusedPassword { return true }
    let passing = [
      "READONLY", "LOADING", "MASTERDOWN", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "NOREPLICAS",
      "MISCONF",
    ]
    return isRefusal && !isRefused(by: passing)
  }
  var error: FreshetError { .store(failure) }
}
#endif
