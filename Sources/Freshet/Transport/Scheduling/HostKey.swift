import Foundation

/// Scheme, host and port of a URL as a number: what a limit per host counts by.
///
/// It costs a tenth of reading the URL. Two hosts with the same number would share their limit.
struct HostKey: Sendable, Hashable {
  private let number: UInt64

  init(_ url: URL) {
    // FNV-1a of what stands before the path, in lower case.
    var number: UInt64 = 0xCBF2_9CE4_8422_2325
    var slashes = 0
    var isAbsolute = false
    for byte in url.absoluteString.utf8 {
      if byte == UInt8(ascii: "/") {
        slashes += 1
        if slashes == 3 || !isAbsolute { break }
      } else if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
        break
      } else if byte == UInt8(ascii: ":") {
        isAbsolute = true
      }
      number = (number ^ UInt64(ASCII.lowercased(byte))) &* 0x100_0000_01B3
    }
    // All that is relative goes to the client's own base.
    self.number = isAbsolute ? number : 0
  }
}
