extension BatchPlan: Codable {
  private enum CodingKeys: String, CodingKey {
    case items
  }

  /// Decodes a stored plan, which has no client.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try container.decode([Item].self, forKey: .items))
  }

  /// Encodes the items, without their credentials and cookies, and without client and policy.
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
  }

  /// Decodes a stored item.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    index = try container.decode(Int.self, forKey: .index)
    request = try container.decode(RequestRecord.self, forKey: .request).request
    need = try container.decode(BatchPlan.Need.self, forKey: .need)
    problem = try container.decodeIfPresent(String.self, forKey: .problem)
  }

  /// Encodes the item, without its credentials and cookies.
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
