import FreshetEssentials

extension Cookie {
  /// The largest size of name and value together, and of an attribute's value, in bytes (RFC 6265bis
  /// section 5.6).
  private static let (maximumSize, maximumAttribute) = (4_096, 1_024)

  /// Parses the value of a `Set-Cookie` field (RFC 6265 section 5.2), as a browser would.
  ///
  /// Returns `nil` if the cookie must not be stored: if its domain does not include the host or is a
  /// public suffix, if it is secure and came over `http`, if it violates the prefix of its name
  /// (`__Secure-`, `__Host-`), or if it is too large.
  init?(
    _ field: String,
    from place: Place,
    now: Date,
    isPublicSuffix: (String) -> Bool
  ) {
    guard !field.utf8.contains(where: Self.isForbidden) else { return nil }
    // Bytes, not characters: a combining mark after a “;” must not make two cookies one.
    var parts = field.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Substring($0) }
    guard let pair = Self.pair(parts.removeFirst(), needsEquals: true), !pair.name.isEmpty,
      pair.name.utf8.count + pair.value.utf8.count <= Self.maximumSize
    else { return nil }
    var attributes: [String: String] = [:]
    for part in parts {
      guard let (written, value) = Self.pair(part, needsEquals: false),
        value.utf8.count <= Self.maximumAttribute
      else { continue }
      let name = ASCII.lowercased(written)
      // The last of several counts, unless it is an age or a date that is invalid.
      let isAge = ["max-age", "expires"].contains(name)
      guard !isAge || Self.expiry([name: value], now: now) != nil else { continue }
      attributes[name] = value
    }
    name = pair.name
    value = pair.value
    created = now
    isSecure = attributes["secure"] != nil
    isHTTPOnly = attributes["httponly"] != nil
    expires = Self.expiry(attributes, now: now)
    path = attributes["path"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? place.defaultPath
    guard let scope = Self.scope(attributes["domain"], at: place, isPublicSuffix) else {
      return nil
    }
    (domain, isHostOnly) = scope
    guard place.isSecure || !isSecure, keepsItsNamesPromise(hasPath: attributes["path"] == "/")
    else { return nil }
  }

  private static func isForbidden(_ byte: UInt8) -> Bool {
    ASCII.isControl(byte) && byte != 0x09
  }

  private static func pair(
    _ text: Substring,
    needsEquals: Bool
  ) -> (name: String, value: String)? {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      return needsEquals ? nil : (String(ASCII.trimmed(text)), "")
    }
    let name = String(ASCII.trimmed(text[..<equals]))
    return (name, String(ASCII.trimmed(text[text.utf8.index(after: equals)...])))
  }

  /// Returns the expiry; `Max-Age` takes precedence over `Expires`.
  private static func expiry(_ attributes: [String: String], now: Date) -> Date? {
    if let text = attributes["max-age"] {
      let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
      if !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) {
        let seconds = text.hasPrefix("-") ? 0 : ASCII.integer(digits) ?? .max
        return seconds > 0 ? now.addingTimeInterval(Double(seconds)) : .distantPast
      }
    }
    return attributes["expires"].flatMap(CookieDate.parse)
  }

  private static func scope(
    _ attribute: String?,
    at place: Place,
    _ isPublicSuffix: (String) -> Bool
  ) -> (domain: String, isHostOnly: Bool)? {
    let text = ASCII.lowercased(attribute ?? "")
    let domain = text.hasPrefix(".") ? String(text.dropFirst()) : text
    guard !domain.isEmpty else { return (place.host, true) }
    guard Self.domain(place.host, isWithin: domain) else { return nil }
    if place.isAddress { return (domain, true) }
    if Site.isSuffix(domain, isPublicSuffix) {
      // A host that is a public suffix itself may still set cookies for itself.
      return place.host == domain ? (domain, true) : nil
    }
    return (domain, false)
  }

  private func keepsItsNamesPromise(hasPath: Bool) -> Bool {
    // Bytes, not characters: a combining mark after a prefix must not hide it.
    let name = ASCII.lowercased(name).utf8
    if name.starts(with: "__secure-".utf8) { return isSecure }
    if name.starts(with: "__host-".utf8) { return isSecure && isHostOnly && hasPath }
    return true
  }
}
