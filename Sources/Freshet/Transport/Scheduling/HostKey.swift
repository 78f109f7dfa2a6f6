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
    let mark = text.firstIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
    // All that is relative goes to the client's own base.
    guard let mark, text[mark...].starts(with: "://".utf8) else { return 0 }
    let start = mark + 3
    var end = text[start...].firstIndex { isEnd($0) } ?? text.endIndex
    let at = text[start..<end].lastIndex(of: UInt8(ascii: "@"))
    var port = text[..<mark].last.map { $0 | 0x20 } == UInt8(ascii: "s") ? 443 : 80
    let digits = text[start..<end].lastIndex { !(48...57).contains($0) }
    if let digits, text[digits] == UInt8(ascii: ":") {
      port = text[(digits + 1)..<end].reduce(nil) { ($0 ?? 0) &* 10 &+ Int($1) - 48 } ?? port
      end = digits
    }
    var number = seed
    func add(_ byte: UInt64) { number = (number ^ byte) &* 0x100_0000_01B3 }
    for byte in text[..<mark] { add(UInt64(ASCII.lowercased(byte))) }
    for byte in text[(at.map { $0 + 1 } ?? start)..<end] { add(UInt64(ASCII.lowercased(byte))) }
    add(UInt64(truncatingIfNeeded: port) &+ 256)
    return Int(truncatingIfNeeded: number) & .max
  }

  private static let seed = UInt64.random(in: .min ... .max)

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}
