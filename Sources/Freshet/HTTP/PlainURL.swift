import FreshetEssentials

/// A URL in the usual form, which a single pass over its bytes recognises.
///
/// The scheme and the host are in lower case, the host consists of letters, digits, dots and hyphens
/// and is used as it is written (``HostName``), a port is not the scheme's default and has no leading
/// zero, and the path begins with its slash. What follows that slash is not checked.
struct PlainURL {
  /// The offset of the path.
  let path: Int

  /// Parses the bytes of an absolute URL; `nil` if it has another form, valid or not.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let scheme = Self.scheme(of: bytes) else { return nil }
    var position = scheme.length
    while position < bytes.count, Self.isHost(bytes[position]) { position += 1 }
    guard position < bytes.count,
      HostName.isUsual(UnsafeBufferPointer(rebasing: bytes[scheme.length..<position]))
    else { return nil }
    if bytes[position] == UInt8(ascii: ":") {
      let start = position + 1
      guard let end = Self.endOfPort(in: bytes, from: start, besides: scheme.port) else {
        return nil
      }
      position = end
    }
    guard position < bytes.count, bytes[position] == UInt8(ascii: "/") else { return nil }
    path = position
  }

  /// Returns whether the text is such a URL, and all bytes from its path on satisfy the predicate.
  static func matches(_ text: String, rest isWanted: (UInt8) -> Bool) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { bytes in
      PlainURL(bytes).map { bytes[$0.path...].allSatisfy(isWanted) } ?? false
    } ?? false
  }

  /// Returns whether the text is such a URL, and a byte does not occur from its path on.
  static func matches(_ text: String, without byte: UInt8) -> Bool {
    text.utf8.withContiguousStorageIfAvailable { bytes in
      guard let url = PlainURL(bytes), let start = bytes.baseAddress else { return false }
      return memchr(start + url.path, Int32(byte), bytes.count - url.path) == nil
    } ?? false
  }

  /// Returns the scheme, host and port of such a URL; `nil` if the text has another form.
  static func origin(of text: String) -> String? {
    text.utf8.withContiguousStorageIfAvailable { bytes in
      PlainURL(bytes).map { String(decoding: bytes[..<$0.path], as: UTF8.self) }
    } ?? nil
  }

  /// Returns the length of the scheme with its slashes, and its default port.
  private static func scheme(of bytes: UnsafeBufferPointer<UInt8>) -> (length: Int, port: Int)? {
    guard let start = bytes.baseAddress, bytes.count > 8 else { return nil }
    if memcmp(start, "https://", 8) == 0 { return (8, 443) }
    return memcmp(start, "http://", 7) == 0 ? (7, 80) : nil
  }

  private static func isHost(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "a") < 26 || ASCII.isDigit(byte) || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "-")
  }

  private static func endOfPort(
    in bytes: UnsafeBufferPointer<UInt8>,
    from start: Int,
    besides ownPort: Int
  ) -> Int? {
    var position = start
    var port = 0
    while position < bytes.count, ASCII.isDigit(bytes[position]), port <= 65_535 {
      port = port * 10 + Int(bytes[position] &- 0x30)
      position += 1
    }
    guard position > start, bytes[start] != 0x30, port <= 65_535, port != ownPort else {
      return nil
    }
    return position
  }
}
