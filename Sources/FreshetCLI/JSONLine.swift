import Freshet

/// A JSON object (RFC 8259) on a line, whose members keep the order in which they are added.
struct JSONLine {
  private var members: [String] = []

  init(event: String) {
    add("event", event)
  }

  /// Makes the line for a failure of a URL.
  init(_ error: FreshetError, of url: String, hasStatus: Bool = false) {
    self.init(event: "error")
    add("url", URLText.withoutUser(url))
    add("kind", error.kind)
    if hasStatus { add("status", error.head.map { Int64($0.status.rawValue) }) }
    add("message", error.description)
  }

  var text: String { "{" + members.joined(separator: ",") + "}" }

  mutating func add(_ name: String, _ value: String) {
    add(name, raw: Self.quoted(value))
  }

  mutating func add(_ name: String, optional value: String?) {
    add(name, raw: value.map(Self.quoted) ?? "null")
  }

  mutating func add(_ name: String, _ value: Int64?) {
    add(name, raw: value.map(String.init) ?? "null")
  }

  mutating func add(_ name: String, _ value: Bool) {
    add(name, raw: value ? "true" : "false")
  }

  mutating func add(_ name: String, _ values: [String]) {
    add(name, raw: "[" + values.map(Self.quoted).joined(separator: ",") + "]")
  }

  private mutating func add(_ name: String, raw: String) {
    members.append("\(Self.quoted(name)):\(raw)")
  }

  /// Returns the text as a JSON string: quotes, backslashes and control characters escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        result += "\\u" + scalar.value.padded(to: 4, radix: 16)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
