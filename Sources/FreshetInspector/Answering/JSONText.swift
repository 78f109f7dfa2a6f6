import Freshet

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
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    write(UInt64(value.magnitude))
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
    if thousandths < 0 { bytes.append(UInt8(ascii: "-")) }
    write(thousandths.magnitude / 1_000)
    let rest = thousandths.magnitude % 1_000
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    write(rest, digits: 3)
  }

  /// Writes a number without making a text of it; most of a row are numbers.
  private mutating func write(_ number: UInt64, digits: Int = 1) {
    var (power, count): (UInt64, Int) = (1, 1)
    while count < digits || number / power >= 10 {
      power *= 10
      count += 1
    }
    while power > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / power % 10))
      power /= 10
    }
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
    var text = text
    text.withUTF8 { text in
      guard text.contains(where: Self.isEscaped) else { return bytes.append(contentsOf: text) }
      for byte in text {
        if Self.isEscaped(byte) { escape(byte) } else { bytes.append(byte) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "&"), ..<0x20, 0x7F:
      true
    default: false
    }
  }

  private mutating func escape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return bytes.append(byte) }
    bytes += "u00\(Hexadecimal.text([byte]))".utf8
  }
}
