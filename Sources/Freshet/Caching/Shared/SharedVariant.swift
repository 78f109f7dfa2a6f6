package import FreshetEssentials

/// A response as a store that several processes share writes it: without its body, and with salted
/// varying fields.
package struct SharedVariant: Sendable {
  /// The name within the entry of its key: a digest of the varying fields, another one for an error.
  package let id: String
  /// The response, with salted varying fields.
  let response: StoredResponse
  /// The SHA-256 of the body.
  package let digest: SHA256Checksum
  /// The length of the body in bytes.
  package let length: Int64
  /// The bytes to store.
  package let record: Data
  /// The time when it was received or validated last.
  package let storedTime: Date

  /// Makes the variant of a response that is to be stored.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - digest: The digest of its body.
  ///   - salt: The salt of the varying fields' digests, which all processes share.
  ///   - time: The earliest value of the time at which it was stored; by default that of the response.
  package init?(
    _ response: StoredResponse,
    digest: SHA256Checksum,
    salt: String,
    notBefore time: Date = .distantPast
  ) {
    let salted = response.varying.salted(salt)
    let varying = DiskRecord.encode(salted, isRefusal: response.isRefusal)
    let head = DiskRecord.encode(response)
    let stored = max(response.responseTime, time)
    var writer = RecordWriter()
    writer.append(Self.version)
    writer.append(response.key.text)
    writer.append(digest.hex)
    writer.append(Int(clamping: response.body.length))
    writer.append(stored)
    writer.append(bytes: varying)
    writer.append(bytes: head)
    writer.append(UInt64(bitPattern: Self.fingerprint(writer.bytes)))
    self.init(Data(writer.bytes))
  }

  /// Reads a record; `nil` if it is damaged, or of a newer version.
  package init?(_ record: Data) {
    let variant = record.withUnsafeBytes { SharedVariant(record, $0) }
    guard let variant else { return nil }
    self = variant
  }

  private init?(_ record: Data, _ bytes: UnsafeRawBufferPointer) {
    var reader = RecordReader(bytes)
    guard reader.number() == Self.version, let key = reader.text(),
      let digest = reader.text().flatMap(SHA256Checksum.init(hex:)), let length = reader.number(),
      length <= UInt64(Int64.max), let stored = reader.date(), let varyingBytes = reader.data(),
      let headBytes = reader.data()
    else { return nil }
    let end = reader.offset
    guard let fingerprint = reader.number(), reader.isAtEnd,
      Int64(bitPattern: fingerprint) == Self.fingerprint(bytes[..<end]),
      let varying = varyingBytes.withUnsafeBytes({ DiskRecord.decodeVarying($0) }),
      let response = headBytes.withUnsafeBytes({
        DiskRecord.decode($0, CacheKey(text: key), varying: varying, digest: digest)
      })
    else { return nil }
    id = String(SHA256Hasher.digest(of: varyingBytes).hex.prefix(32))
    self.response = response
    self.digest = digest
    self.length = Int64(length)
    self.record = record
    storedTime = stored
  }

  private static let version: UInt64 = 1

  private static func fingerprint(_ bytes: some Collection<UInt8>) -> Int64 {
    var fingerprint = Fingerprint()
    Array(bytes).withUnsafeBytes { fingerprint.add($0) }
    return fingerprint.value
  }
}

extension SharedVariant {
  /// The key of the response.
  package var key: CacheKey { response.key }
  /// The URL that answered.
  package var url: URL { response.head.url }
  /// The status code.
  package var status: HTTPStatus { response.head.status }
  /// The names under which it can be removed.
  package var tags: Set<String> { response.tags }

  /// Returns the response with its body.
  ///
  /// - Parameters:
  ///   - body: The body, whose digest has been compared.
  ///   - headers: The header fields of the request that it answers.
  ///   - instant: The instant at which the lookup began: the engine has applied all earlier removals.
  /// - Returns: The response.
  package func response(
    _ body: Data,
    for headers: HTTPHeaders,
    since instant: EventInstant
  ) -> StoredResponse {
    response.copy(
      varying: response.varying.unsalted(for: headers),
      content: (ResourceBody(body), digest),
      order: (instant, nil)
    )
  }
}
