import FreshetEssentials

extension BatchPlan: Codable {
  private enum CodingKeys: String, CodingKey {
    case items
  }

  /// Decodes a stored plan, which has no client.
  ///
  /// - Throws: `DecodingError`, also if two items have the same position.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let items = try container.decode([Item].self, forKey: .items)
    guard Set(items.map(\.index)).count == items.count else {
      throw DecodingError.dataCorruptedError(
        forKey: .items,
        in: container,
        debugDescription: "two items have the same index"
      )
    }
    self.init(items)
  }

  /// Encodes the items, without their credentials and cookies, and without client and policy.
  ///
  /// A user and a password in a URL, with which no request is sent, are replaced by a word.
  ///
  /// - Throws: `EncodingError` for a request with a body, which is not stored.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(items, forKey: .items)
  }
}

extension BatchPlan.Item: Codable {
  private enum CodingKeys: String, CodingKey {
    case index
    case request
    case need
    case problem
    case sha256
    case file
    case directory
  }

  /// Decodes a stored item.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    index = try container.decode(Int.self, forKey: .index)
    var entry = BatchEntry(try container.decode(RequestRecord.self, forKey: .request).request)
    if let text = try container.decodeIfPresent(String.self, forKey: .sha256) {
      guard let digest = SHA256Checksum(hex: text) else {
        // What must be verified is not fetched unverified.
        throw DecodingError.dataCorruptedError(
          forKey: .sha256,
          in: container,
          debugDescription: "it is not a SHA-256 digest"
        )
      }
      entry.expected = .sha256(digest)
    }
    entry.target = DownloadTarget(
      file: try container.decodeIfPresent(URL.self, forKey: .file),
      directory: try container.decodeIfPresent(URL.self, forKey: .directory)
    )
    self.entry = entry
    need = try container.decode(BatchPlan.Need.self, forKey: .need)
    problem = try container.decodeIfPresent(String.self, forKey: .problem)
  }

  /// Stores the item, without its credentials and cookies, and without a policy of its own.
  ///
  /// - Throws: `EncodingError` for a request with a body, which is not stored.
  public func encode(to encoder: any Encoder) throws {
    guard let record = RequestRecord(request) else {
      let context = EncodingError.Context(
        codingPath: encoder.codingPath,
        debugDescription: "a request with a body cannot be stored"
      )
      throw EncodingError.invalidValue(request, context)
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(index, forKey: .index)
    try container.encode(record, forKey: .request)
    try container.encode(need, forKey: .need)
    try container.encodeIfPresent(problem, forKey: .problem)
    if case .sha256(let digest) = entry.expected ?? entry.policy?.expected {
      try container.encode(digest.hex, forKey: .sha256)
    }
    try container.encodeIfPresent(entry.file, forKey: .file)
    try container.encodeIfPresent(entry.directory, forKey: .directory)
  }
}

extension BatchPlan.Need: Codable {
  /// Decodes a stored need; unrecognised text counts as ``BatchPlan/Need/unknown``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let count = try? container.decode(Int64.self), count >= 0 {
      self = .body(count)
      return
    }
    switch try container.decode(String.self) {
    case "none": self = .none
    case "validation": self = .validation
    default: self = .unknown
    }
  }

  /// Encodes a number of bytes, `"none"`, `"validation"` or `"unknown"`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .none: try container.encode("none")
    case .validation: try container.encode("validation")
    case .body(let count): try container.encode(count)
    case .unknown: try container.encode("unknown")
    }
  }
}
