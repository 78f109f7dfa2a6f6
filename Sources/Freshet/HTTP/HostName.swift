import FreshetEssentials

/// The rules for the host of a URL, which is used exactly as it is written or refused.
///
/// URL parsers and resolvers decode hosts: `ex%61mple.org`, `0x7f.1` and `ｅxample.org` change before
/// they reach the socket. Pins, cookies, credentials and cache keys would then belong to another host
/// than the one that is connected to. Any host that could be decoded is refused.
enum HostName {
  /// Returns the reason why a host is refused, or `nil`.
  ///
  /// A name consists of letters, digits, `-`, `_` and `~` in labels that are not empty, and may have a
  /// trailing dot. A name whose last label is a number is an IPv4 address by the URL standard, and must
  /// have four decimal numbers without leading zeros. An IPv6 address must not have a zone: RFC 9844
  /// has removed them from URLs.
  ///
  /// - Parameter host: The host as written in the URL.
  /// - Returns: The reason, which does not contain the host.
  static func problem(with host: Substring) -> String? {
    let bytes = host.utf8
    if isUsual(bytes) { return nil }
    if bytes.isEmpty { return "its URL has no host" }
    if bytes.first == UInt8(ascii: "[") {
      return canonicalIPv6(host) == nil ? "its host is not a valid IPv6 address" : nil
    }
    if bytes.contains(UInt8(ascii: "%")) { return "its host contains a percent-encoded character" }
    guard bytes.allSatisfy({ isInName($0) || $0 == dot }) else {
      return "its host contains a character that host names may not have"
    }
    if bytes.first == dot || hasEmptyLabel(bytes) { return "its host has an empty label" }
    return "its host is a number and not an IPv4 address such as 192.0.2.1"
  }

  /// Returns a host in the form for comparisons: in lower case, and with IPv6 addresses in their
  /// shortest form (RFC 5952).
  static func canonical(_ host: Substring) -> String {
    host.utf8.first == UInt8(ascii: "[")
      ? canonicalIPv6(host) ?? ASCII.lowercased(host) : ASCII.lowercased(host)
  }

  /// Returns whether a host is an IP address, in any notation of the URL standard, and so has no subdomains.
  static func isAddress(_ host: String) -> Bool {
    host.utf8.first == UInt8(ascii: "[") || endsInNumber(host.utf8)
  }

  /// Returns the reason why a Unicode host is ambiguous, or `nil`.
  ///
  /// Fullwidth letters, ligatures, circled digits, other full stops and invisible characters are mapped
  /// to other characters, or removed, when a domain name is derived from them (UTS 46 section 4).
  static func ambiguity(in host: Substring) -> String? {
    if host.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
    return host.unicodeScalars.contains(where: standsForOthers)
      ? "its host contains a character that is mapped to another one" : nil
  }
}

// MARK: - Names

extension HostName {
  private static let dot = UInt8(ascii: ".")

  /// Returns whether the host is a name or an IPv4 address that no parser decodes.
  @inline(__always)
  static func isUsual(_ host: some BidirectionalCollection<UInt8>) -> Bool {
    var isLabelEmpty = true
    var startsWithDigit = false
    for byte in host {
      if isLabelEmpty {
        startsWithDigit = ASCII.isDigit(byte)
        isLabelEmpty = false
        guard isInName(byte) else { return false }
      } else if byte == dot {
        isLabelEmpty = true
      } else if !isInName(byte) {
        return false
      }
    }
    if startsWithDigit { return isIPv4(host) || !endsInNumber(host) }
    return !host.isEmpty
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
  }

  private static func hasEmptyLabel(_ host: some BidirectionalCollection<UInt8>) -> Bool {
    zip(host, host.dropFirst()).contains { $0 == dot && $1 == dot }
  }
}

// MARK: - Addresses

extension HostName {
  /// Returns whether the host is four decimal numbers of at most 255, without leading zeros.
  @inline(__always)
  private static func isIPv4(_ host: some Collection<UInt8>) -> Bool {
    var (dots, digits, number) = (0, 0, 0)
    for byte in host {
      if byte == dot {
        dots += 1
        if digits == 0 || dots > 3 { return false }
        (digits, number) = (0, 0)
        continue
      }
      // No digit may follow a leading zero.
      guard ASCII.isDigit(byte), digits == 0 || number > 0 else { return false }
      number = number * 10 + Int(byte &- 0x30)
      digits += 1
      if number > 255 { return false }
    }
    return dots == 3 && digits > 0
  }

  /// Returns whether the last label is a number, decimal or hexadecimal.
  private static func endsInNumber(_ host: some BidirectionalCollection<UInt8>) -> Bool {
    let host = host.last == dot ? host.dropLast() : host[...]
    let start = host.lastIndex(of: dot).map(host.index(after:)) ?? host.startIndex
    let label = host[start...]
    guard let first = label.first, ASCII.isDigit(first) else { return false }
    if label.allSatisfy(ASCII.isDigit) { return true }
    let prefix = label.prefix(2)
    return prefix.last.map { $0 | 0x20 } == UInt8(ascii: "x") && first == 0x30
      && label.dropFirst(2).allSatisfy(ASCII.isHexDigit)
  }

  /// Returns the address in brackets in its shortest form; `nil` if it is not valid.
  private static func canonicalIPv6(_ host: Substring) -> String? {
    let bytes = host.utf8
    guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else { return nil }
    let content = bytes.dropFirst().dropLast()
    let isPlain = content.allSatisfy { ASCII.isHexDigit($0) || ":.".utf8.contains($0) }
    guard isPlain, content.count <= 45 else { return nil }
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(decoding: content, as: UTF8.self), &address) == 1 else {
      return nil
    }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { room in
      let text = inet_ntop(AF_INET6, &address, room.baseAddress, socklen_t(room.count))
      return text.map { "[\(String(cString: $0))]" }
    }
  }
}

// MARK: - Unicode

extension HostName {
  private static func standsForOthers(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII else { return false }
    // Joiners are valid letters in some scripts (RFC 5892 appendix A).
    if scalar == "\u{200C}" || scalar == "\u{200D}" { return false }
    if scalar == "\u{3002}" || scalar.properties.isDefaultIgnorableCodePoint { return true }
    if copies.contains(scalar) { return true }
    // A change of case alone is none, and neither is a letter with its mark in one character.
    return scalar.properties.lowercaseMapping.unicodeScalars.contains { letter in
      let properties = letter.properties
      return properties.changesWhenNFKCCaseFolded && !properties.isFullCompositionExclusion
        && !isCaseOnly(letter)
    }
  }

  /// Returns whether a letter in lower case is kept, or mapped to its upper case, although it changes when
  /// case is folded: the sharp and the final s, and those of the Cherokee.
  private static func isCaseOnly(_ letter: Unicode.Scalar) -> Bool {
    switch letter.value {
    case 0xDF, 0x3C2, 0x13A0...0x13FF, 0xAB70...0xABBF: true
    default: false
    }
  }

  /// The characters that are mapped, but whose properties are those of letters that are not: copies of
  /// signs, of spaces and of a few letters, and the capital sharp s, which is a double s in some versions.
  private static let copies = Set(
    "\u{37E}\u{3F4}\u{1E9E}\u{1FEE}\u{1FEF}\u{1FFD}\u{2000}\u{2001}\u{212A}".unicodeScalars
  )
}
