import Foundation

/// Scheme, host and port of a URL as a number: what a limit per host counts by.
///
/// It costs a tenth of reading the URL. Two hosts with the same number would share their limit; which
/// do cannot be told beforehand, because each process begins with another number.
struct HostKey: Sendable, Hashable {
  /// Not negative.
  let number: Int

  init(number: Int) {
    self.number = number
  }

  init(_ url: URL) {
    var text = url.absoluteString
    number = text.withUTF8 { Self.number($0) }
  }

  /// FNV-1a, from a beginning of its own, of scheme and host in lower case, and of the port that is
  /// connected to.
  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    var number = seed
    func add(_ byte: UInt64) { number = (number ^ byte) &* 0x100_0000_01B3 }
    var mark = 0
    while mark < text.count, text[mark] != UInt8(ascii: ":"), text[mark] != UInt8(ascii: "/") {
      add(UInt64(ASCII.lowercased(text[mark])))
      mark += 1
    }
    // All that is relative goes to the client's own base.
    guard mark + 2 < text.count, text[mark] == UInt8(ascii: ":"),
      text[mark + 1] == UInt8(ascii: "/"), text[mark + 2] == UInt8(ascii: "/")
    else { return 0 }
    var start = mark + 3
    var end = start
    while end < text.count, !isEnd(text[end]) {
      if text[end] == UInt8(ascii: "@") { start = end + 1 }
      end += 1
    }
    var port = mark > 0 && text[mark - 1] | 0x20 == UInt8(ascii: "s") ? 443 : 80
    var digits = end
    while digits > start, (48...57).contains(text[digits - 1]) { digits -= 1 }
    if digits > start, text[digits - 1] == UInt8(ascii: ":") {
      port = text[digits..<end].reduce(nil) { ($0 ?? 0) &* 10 &+ Int($1) - 48 } ?? port
      end = digits - 1
    }
    for byte in text[start..<end] { add(UInt64(ASCII.lowercased(byte))) }
    add(UInt64(truncatingIfNeeded: port) &+ 256)
    return Int(truncatingIfNeeded: number) & .max
  }

  private static let seed = UInt64.random(in: .min ... .max)

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}
