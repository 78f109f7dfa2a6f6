/// Writes JSON, without making values of it first.
///
/// `<`, `>` and `&` are escaped too, so that the text is no markup wherever it ends up.
struct JSONText {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  static func object(_ body: (inout JSONText) -> Void) -> [UInt8] {
    var text = JSONText()
    text.object(nil, body)
    return text.bytes
  }

  mutating func object(_ key: StaticString? = nil, _ body: (inout JSONText) -> Void) {
    nest(key, "{", "}", body)
  }

  mutating func array(_ key: StaticString? = nil, _ body: (inout JSONText) -> Void) {
    nest(key, "[", "]", body)
  }

  mutating func array(_ key: StaticString, _ values: some Sequence<String>) {
    array(key) { for value in values { $0.add(nil, value) } }
  }

  /// Adds a value that is JSON already.
  mutating func add(json: [UInt8]) {
    begin(nil)
    bytes += json
  }

  /// Adds a text; nothing for `nil`.
  mutating func add(_ key: StaticString?, _ value: String?) {
    guard let value else { return }
    begin(key)
    quote(value)
  }

  mutating func add(_ key: StaticString?, _ value: Bool) {
    begin(key)
    bytes += (value ? "true" : "false").utf8
  }

  mutating func add(_ key: StaticString?, _ value: some BinaryInteger) {
    begin(key)
    bytes += String(value).utf8
  }

  /// Adds a number with three decimals; `null` for one that is not finite, nothing for `nil`.
  mutating func add(_ key: StaticString?, _ value: Double?) {
    guard let value else { return }
    begin(key)
    guard value.isFinite, value.magnitude < 1e15 else {
      bytes += "null".utf8
      return
    }
    let thousandths = Int64((value * 1_000).rounded())
    bytes += "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1_000)".utf8
    let rest = thousandths.magnitude % 1_000
    if rest > 0 { bytes += ".\(rest < 100 ? "0" : "")\(rest < 10 ? "0" : "")\(rest)".utf8 }
  }

  private mutating func nest(
    _ key: StaticString?,
    _ open: Unicode.Scalar,
    _ close: Unicode.Scalar,
    _ body: (inout JSONText) -> Void
  ) {
    begin(key)
    bytes.append(UInt8(ascii: open))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: close))
    needsComma = true
  }

  private mutating func begin(_ key: StaticString?) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    guard let key else { return }
    bytes.append(UInt8(ascii: "\""))
    key.withUTF8Buffer { bytes += $0 }
    bytes += "\":".utf8
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), ..<0x20, 0x7F:
        let digits = Array("0123456789abcdef".utf8)
        bytes += "\\u00".utf8
        bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
