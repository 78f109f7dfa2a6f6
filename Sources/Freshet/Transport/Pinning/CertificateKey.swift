import FreshetEssentials

/// Finds the public key of a certificate by its position in the DER (RFC 5280 section 4.1).
enum CertificateKey {
  /// Returns the SHA-256 of the certificate's `SubjectPublicKeyInfo`; `nil` if it is not a certificate.
  static func digest(in certificate: Data) -> SHA256Checksum? {
    info(in: certificate).map(SHA256Hasher.digest)
  }

  /// Returns the `SubjectPublicKeyInfo`, with its own tag and length.
  static func info(in certificate: Data) -> Data? {
    var outer = Elements(rest: certificate)
    guard var inner = outer.next(tag: 0x30)?.elements,
      var fields = inner.next(tag: 0x30)?.elements
    else { return nil }
    // All but the oldest certificates have a version.
    if fields.rest.first == 0xA0 { _ = fields.next(tag: 0xA0) }
    // Serial number, signature algorithm, issuer, validity and subject.
    guard fields.next(tag: 0x02) != nil else { return nil }
    for _ in 0..<4 {
      guard fields.next(tag: 0x30) != nil else { return nil }
    }
    return fields.next(tag: 0x30)?.whole
  }

  private struct Element {
    let whole: Data
    let content: Data

    var elements: Elements { Elements(rest: content) }
  }

  /// The consecutive elements of some DER.
  private struct Elements {
    var rest: Data

    mutating func next(tag: UInt8) -> Element? {
      var position = rest.startIndex
      guard rest.count >= 2, rest[position] == tag else { return nil }
      var length = Int(rest[position + 1])
      position += 2
      if length >= 0x80 {
        let count = length & 0x7F
        guard (1...4).contains(count), rest.endIndex - position >= count else { return nil }
        length = rest[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
        position += count
      }
      guard rest.endIndex - position >= length else { return nil }
      let end = position + length
      defer { rest = rest[end...] }
      return Element(whole: rest[..<end], content: rest[position..<end])
    }
  }
}
