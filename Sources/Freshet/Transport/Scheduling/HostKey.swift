import FreshetEssentials

/// The scheme, host and port of a URL as a hash, which is the key for limits per host.
///
/// Computing it costs a tenth of parsing the URL. Two hosts with the same hash would share their limit;
/// which ones do cannot be predicted, because each process uses another seed.
struct HostKey: Sendable, Hashable {
  /// The hash, which is not negative.
  let number: Int

  init(number: Int) {
    self.number = number
  }

  init(_ url: URL) {
    var text = url.absoluteString
    number = text.withUTF8 { Self.number($0) }
  }

  /// Computes a seeded FNV-1a of the scheme and the host in lower case, and of the effective port.
  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    var number = seed
    var place = 0
    while place < text.count, text[place] != UInt8(ascii: ":"), text[place] != UInt8(ascii: "/") {
      number = adding(text[place] | lowercase, to: number)
      place += 1
    }
    // All relative URLs refer to the client's own base URL.
    guard place + 2 < text.count, text[place] == UInt8(ascii: ":"),
      text[place + 1] == UInt8(ascii: "/"), text[place + 2] == UInt8(ascii: "/")
    else { return 0 }
    let standardPort = place > 0 && text[place - 1] | 0x20 == UInt8(ascii: "s") ? 443 : 80
    // It ends the scheme, so that none of its letters count as the host's.
    number = adding(text[place], to: number)
    let scheme = number
    // The digits after a colon are the port, if nothing else follows.
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

  /// The bit that makes letters lower case, and that keeps all other characters of a host distinct.
  private static var lowercase: UInt8 { 0x20 }
  private static let seed = UInt64.random(in: .min ... .max)

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}
