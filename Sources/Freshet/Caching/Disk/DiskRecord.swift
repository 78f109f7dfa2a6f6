import FreshetEssentials

/// A response as a row of the database, ready to be written.
struct DiskRecord: Sendable {
  let key: CacheKey
  private(set) var varying: Data
  let head: Data
  let digest: Data
  let length: Int64
  private(set) var body: Body
  private(set) var stored: Double
  let cost: Int64
  let tags: Set<String>
  /// The response, without its body.
  let response: StoredResponse
  private(set) var fingerprint: Int64

  /// The place of the body's bytes.
  enum Body: Sendable {
    case inline(Data)
    case file(String)

    var name: String {
      if case .file(let name) = self { name } else { "" }
    }
  }

  init(_ response: StoredResponse, digest: SHA256Checksum, body: Body) {
    key = response.key
    varying = DiskRecord.encode(response.varying, isRefusal: response.isRefusal)
    head = DiskRecord.encode(response)
    self.digest = digest.bytes
    length = response.body.length
    self.body = body
    stored = response.responseTime.timeIntervalSinceReferenceDate
    cost = Int64(response.cost)
    tags = response.tags
    self.response = response.with(body: ResourceBody(Data()), digest: digest)
    fingerprint = 0
    fingerprint = computedFingerprint
  }

  /// Returns the record for a body that was moved to this file, or into the database, stored or
  /// validated at this time or later.
  ///
  /// A record that is marked as outdated does not become old because of that.
  func moved(to file: String?, notBefore time: Double) -> DiskRecord {
    var record = self
    record.body = file.map { .file($0) } ?? .inline(Data())
    record.stored = max(stored, time)
    record.fingerprint = record.computedFingerprint
    return record
  }

  /// Returns the record as a store with this salt writes it.
  func salted(_ salt: String) -> DiskRecord {
    var record = self
    record.varying = DiskRecord.encode(
      response.varying.salted(salt),
      isRefusal: response.isRefusal
    )
    guard record.varying != varying else { return self }
    record.fingerprint = record.computedFingerprint
    return record
  }

  private var computedFingerprint: Int64 { fingerprint(head: head, stored: stored, cost: cost) }

  /// The fingerprint of a row that differs from the record in these.
  func fingerprint(head: Data, stored: Double, cost: Int64) -> Int64 {
    DiskRecord.fingerprint(key, length: length, file: body.name, stored: stored, cost: cost) {
      $0.add(varying)
      $0.add(head)
      $0.add(digest)
    }
  }

  /// Returns a fingerprint of everything by which a response is chosen, shown, counted and evicted,
  /// so that every flipped bit is found.
  ///
  /// The closure adds the varying fields, the head and the digest, in this order.
  static func fingerprint(
    _ key: CacheKey,
    length: Int64,
    file: String,
    stored: Double,
    cost: Int64,
    addingBytes: (inout Fingerprint) -> Void
  ) -> Int64 {
    var fingerprint = Fingerprint()
    fingerprint.add(key.text)
    addingBytes(&fingerprint)
    fingerprint.add(UInt64(bitPattern: length))
    fingerprint.add(file)
    fingerprint.add(stored.bitPattern)
    fingerprint.add(UInt64(bitPattern: cost))
    return fingerprint.value
  }
}

extension DiskRecord {
  /// Encodes the varying fields.
  ///
  /// An error is marked by a field without a name, which no request has, so that its row is
  /// separate from that of a copy for the same varying fields.
  static func encode(_ varying: VaryingFields, isRefusal: Bool = false) -> Data {
    var writer = RecordWriter()
    if isRefusal {
      writer.append("")
      writer.append(0)
      writer.append("")
    }
    for field in varying.fields {
      writer.append(field.name)
      writer.append(field.value == nil ? 0 : 1)
      writer.append(field.value ?? "")
    }
    return Data(writer.bytes)
  }

  static func encode(_ response: StoredResponse) -> Data {
    var writer = RecordWriter()
    writer.append(1)
    writer.append(response.head.status.rawValue)
    writer.append(response.requestTime)
    writer.append(response.responseTime)
    writer.append(response.head.url.withoutUserAndFragment)
    let headers = response.head.writtenFields
    writer.append(headers.count)
    for field in headers {
      writer.append(field.name.rawValue)
      writer.append(field.value)
    }
    writer.append(response.tags.count)
    for tag in response.tags.sorted() {
      writer.append(tag)
    }
    writer.append(response.knownSince == nil ? 0 : 1)
    if let known = response.knownSince {
      writer.append(known.boot)
      writer.append(UInt64(bitPattern: known.uptime))
      writer.append(known.date)
    }
    return Data(writer.bytes)
  }

  static func decodeVarying(_ bytes: UnsafeRawBufferPointer) -> VaryingFields? {
    if bytes.isEmpty { return VaryingFields.none }
    var reader = RecordReader(bytes)
    var fields: [VaryingFields.Field] = []
    while !reader.isAtEnd {
      guard let name = reader.text(), let isThere = reader.number(), let value = reader.text()
      else { return nil }
      if name.isEmpty { continue }
      fields.append(VaryingFields.Field(name: name, value: isThere == 0 ? nil : value))
    }
    return VaryingFields(fields: fields)
  }

  /// Decodes a response, without its body; `known` is the URL that it is likely to have.
  static func decode(
    _ bytes: UnsafeRawBufferPointer,
    _ key: CacheKey,
    varying: VaryingFields = .none,
    digest: SHA256Checksum? = nil,
    like known: URL? = nil
  ) -> StoredResponse? {
    var reader = RecordReader(bytes)
    guard reader.number() == 1, let status = reader.number(), let requestTime = reader.date(),
      let responseTime = reader.date(), let url = reader.url(like: known),
      let headers = headers(&reader), let tags = tags(&reader), let isOrdered = reader.number()
    else { return nil }
    let instant = isOrdered == 0 ? nil : instant(&reader)
    if isOrdered != 0, instant == nil { return nil }
    return StoredResponse(
      key: key,
      varying: varying,
      head: ResponseHead(status: HTTPStatus(Int(clamping: status)), headers: headers, url: url),
      body: ResourceBody(Data()),
      digest: digest,
      requestTime: requestTime,
      responseTime: responseTime,
      knownAt: requestTime,
      knownSince: instant,
      tags: tags
    )
  }

  private static func instant(_ reader: inout RecordReader) -> EventInstant? {
    guard let boot = reader.number(), let uptime = reader.number(), let date = reader.date()
    else { return nil }
    return EventInstant(boot: boot, uptime: Int64(bitPattern: uptime), date: date)
  }

  private static func headers(_ reader: inout RecordReader) -> HTTPHeaders? {
    guard let count = reader.count() else { return nil }
    var fields: [HTTPHeaders.Field] = []
    fields.reserveCapacity(count)
    for _ in 0..<count {
      guard let name = reader.text(), let value = reader.text() else { return nil }
      fields.append(HTTPHeaders.Field(name: HTTPHeaders.Name(name), trimmed: value))
    }
    return HTTPHeaders(fields)
  }

  private static func tags(_ reader: inout RecordReader) -> Set<String>? {
    guard let count = reader.count() else { return nil }
    var tags: Set<String> = []
    for _ in 0..<count {
      guard let tag = reader.text() else { return nil }
      tags.insert(tag)
    }
    return tags
  }
}
