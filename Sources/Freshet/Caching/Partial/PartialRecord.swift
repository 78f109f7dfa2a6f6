import FreshetEssentials

/// The record of a partial body, with which another process can resume it.
///
/// It is a file of lines: this record as JSON, and then a line for each checkpoint, with the length
/// that had arrived and its SHA-256. Only bytes that match the digest of a checkpoint are ever
/// used, so that no loss of power and no stray write can damage a body.
struct PartialRecord: Sendable, Codable {
  var version = Self.version
  let key: String
  /// The values of the request's fields that selected the response.
  let varying: [VaryingFields.Field]
  let url: String
  let headers: [[String]]
  private(set) var tags: [String]
  let requestTime: Double
  let responseTime: Double
  /// The length of the whole body, if the server has sent it.
  let total: Int64?
  /// The values in ``varying`` without their salt, which are not written; `nil` for a record that was read.
  private(set) var plain: VaryingFields?

  private enum CodingKeys: String, CodingKey {
    case version, key, varying, url, headers, tags, requestTime, responseTime, total
  }

  /// The version of the format: the first had no varying fields, and the second could hold cookies.
  private static let version = 3

  var varyingFields: VaryingFields { VaryingFields(fields: varying) }
  /// The time when the response's head was received.
  var received: Date { Date(timeIntervalSinceReferenceDate: responseTime) }

  struct Checkpoint: Sendable, Hashable {
    let length: Int64
    let digest: SHA256Checksum
  }

  init(
    key: CacheKey,
    varying: VaryingFields,
    head: ResponseHead,
    tags: Set<String>,
    requestTime: Date,
    responseTime: Date
  ) {
    self.key = key.text
    plain = varying
    self.varying = varying.salted(VaryingFields.newSalt()).fields
    url = head.url.withoutUserAndFragment
    headers = StoragePolicy.stored(head).writtenFields.map { [$0.name.rawValue, $0.value] }
    self.tags = tags.sorted()
    self.requestTime = requestTime.timeIntervalSinceReferenceDate
    self.responseTime = responseTime.timeIntervalSinceReferenceDate
    total = head.decodedLength
  }

  /// Returns the record with more tags.
  func tagged(_ more: [String]) -> PartialRecord {
    var record = self
    record.tags = Set(tags).union(more).sorted()
    return record
  }

  /// Returns a Boolean value that indicates whether it is for the same requests as a record that was
  /// made just now.
  ///
  /// Each record has a salt of its own, so that two of them cannot be compared directly.
  func hasSameVaryingFields(as new: PartialRecord) -> Bool {
    varyingFields.stand(for: new.plain ?? new.varyingFields)
  }

  /// The response's head; `nil` if the record is not valid.
  var head: ResponseHead? {
    guard version == Self.version, let url = URL(string: url), total ?? 0 >= 0,
      headers.allSatisfy({ $0.count == 2 })
    else { return nil }
    let fields = headers.map {
      HTTPHeaders.Field(name: HTTPHeaders.Name($0[0]), value: $0[1])
    }
    return ResponseHead(status: .ok, headers: HTTPHeaders(fields), url: url)
  }
}

extension PartialRecord {
  /// The record's line.
  var line: Data { Self.line(self) }

  /// Returns a record as a line.
  static func line(_ record: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers and texts can always be encoded; otherwise nothing would be found.
    return ((try? encoder.encode(record)) ?? Data()) + Data("\n".utf8)
  }

  /// Reads a file of lines; the last one may be incomplete.
  static func read(_ data: Data) -> (PartialRecord, [Checkpoint])? {
    let lines = data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count > 1, let first = lines.first,
      let record = try? JSONDecoder().decode(PartialRecord.self, from: Data(first))
    else { return nil }
    return (record, lines.dropFirst().dropLast().compactMap { Checkpoint(line: $0) })
  }
}

extension PartialRecord.Checkpoint {
  init?(line: Data) {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 2, let length = ASCII.integer(words[0]), length > 0,
      let digest = SHA256Checksum(hex: String(words[1]))
    else { return nil }
    self.init(length: length, digest: digest)
  }

  /// The checkpoint as a line, with a line feed before it in case the previous line is incomplete.
  var line: Data { Data("\n\(length) \(digest.hex)\n".utf8) }
}
