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
    var place = 0
    while place < text.count, text[place] != UInt8(ascii: ":"), text[place] != UInt8(ascii: "/") {
      number = adding(text[place] | lowercase, to: number)
      place += 1
    }
    // All that is relative goes to the client's own base.
    guard place + 2 < text.count, text[place] == UInt8(ascii: ":"),
      text[place + 1] == UInt8(ascii: "/"), text[place + 2] == UInt8(ascii: "/")
    else { return 0 }
    let standardPort = place > 0 && text[place - 1] | 0x20 == UInt8(ascii: "s") ? 443 : 80
    let scheme = number
    // What is a port if nothing but digits follows.
    var (host, port, digits) = (number, 0, -1)
    place += 3
    while place < text.count, !isEnd(text[place]) {
      let byte = text[place]
      place += 1
      let digit = Int(byte) - 48
      if digits >= 0, digit >= 0, digit < 10 {
        port = port &* 10 &+ digit
        digits += 1
      } else if byte == UInt8(ascii: ":") {
        (host, port, digits) = (number, 0, 0)
      } else {
        digits = -1
      }
      number = byte == UInt8(ascii: "@") ? scheme : adding(byte | lowercase, to: number)
    }
    if digits >= 0 { number = host }
    number = adding(digits > 0 ? port : standardPort, to: number)
    return Int(truncatingIfNeeded: number) & .max
  }

  private static func adding(_ value: some BinaryInteger, to number: UInt64) -> UInt64 {
    (number ^ UInt64(truncatingIfNeeded: value)) &* 0x100_0000_01B3
  }

  /// What makes letters lower case, and no two others of a host the same.
  private static var lowercase: UInt8 { 0x20 }
  private static let seed = UInt64.random(in: .min ... .max)

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}
