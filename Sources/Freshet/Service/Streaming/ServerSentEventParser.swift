import FreshetEssentials

/// Parses the lines of an event stream to events; a pure value.
struct ServerSentEventParser {
  /// The id that a new connection sends to the server.
  private(set) var lastEventID: String
  /// The pause before a new connection that the server has asked for.
  private(set) var retry: Duration?

  private let limit: Int
  private var type = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var nextID: String

  /// Makes a parser for a new connection.
  init(lastEventID: String = "", limit: Int) {
    self.lastEventID = lastEventID
    self.limit = limit
    nextID = lastEventID
  }

  /// Takes a line without its end; an empty one may complete an event.
  mutating func take(_ line: Data) throws(FreshetError) -> ServerSentEvent? {
    guard !line.isEmpty else { return dispatch() }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    var value = line.dropFirst(name.count + 1)
    if value.first == 0x20 { value = value.dropFirst() }
    try takeField(String(decoding: name, as: UTF8.self), value)
    return nil
  }

  /// Takes a field; a comment is a field without a name, and has no effect like all unknown ones.
  private mutating func takeField(_ name: String, _ value: Data) throws(FreshetError) {
    switch name {
    case "event":
      type = String(decoding: value, as: UTF8.self)
    case "data":
      if hasData { data.append(0x0A) }
      hasData = true
      data += value
      guard data.count <= limit else { throw .limitExceeded(.lineBytes(limit), url: "") }
    case "id" where !value.contains(0):
      nextID = String(decoding: value, as: UTF8.self)
    case "retry":
      let digits = String(decoding: value, as: UTF8.self)
      if let milliseconds = ASCII.integer(digits) { retry = .milliseconds(milliseconds) }
    default:
      break
    }
  }

  private mutating func dispatch() -> ServerSentEvent? {
    lastEventID = nextID
    defer {
      type = ""
      data = []
      hasData = false
    }
    guard hasData else { return nil }
    return ServerSentEvent(
      type: type.isEmpty ? "message" : type,
      data: String(decoding: data, as: UTF8.self),
      id: lastEventID
    )
  }
}
