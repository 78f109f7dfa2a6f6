import FreshetEssentials

/// The values of the request's fields that selected a response (RFC 9111 section 4.1).
///
/// A stored response may answer only requests that have the same values for each of them.
public struct VaryingFields: Sendable, Hashable {
  /// The fields, sorted by name in lower case; `nil` when the request did not have the field.
  public let fields: [Field]

  /// One field that selected the response.
  public struct Field: Sendable, Hashable, Codable {
    /// The name in lower case.
    public let name: String
    /// The combined value with white space normalised, or `nil` if the field was absent.
    ///
    /// The members of `Accept`, `Accept-Encoding` and `Accept-Language` are in lower case, ordered
    /// by their weights. The value of a credential or a cookie is its SHA-256. In the files of a
    /// store, every value is a salted SHA-256.
    public let value: String?

    /// Returns whether both have the same bytes; `==` of texts also takes two spellings of a letter for
    /// equal.
    public static func == (left: Field, right: Field) -> Bool {
      left.name.hasSameBytes(as: right.name) && isSame(left.value, right.value)
    }

    /// Returns whether both values have the same bytes, or are both absent.
    static func isSame(_ left: String?, _ right: String?) -> Bool {
      guard let left, let right else { return left == nil && right == nil }
      return left.hasSameBytes(as: right)
    }
  }

  /// The largest number of names in a `Vary`; with more, it counts as `*`.
  ///
  /// Servers name a few. Each name is compared with every request, and is part of what is stored.
  private static let maximumCount = 64

  /// The empty list: the response answers every request with its key.
  public static let none = VaryingFields(fields: [])

  init(fields: [Field]) {
    self.fields = fields
  }

  /// Reads the fields that a response's `Vary` names.
  ///
  /// The request's `Authorization` counts as well, unless the response is `public`, so that no
  /// request gets a response to other credentials.
  ///
  /// A `Vary` with `*` is not represented: such a response must not be reused, see
  /// ``isUnmatchable(_:)``.
  ///
  /// - Parameters:
  ///   - response: The response's headers.
  ///   - request: The headers of the request that it answered.
  public init(response: HTTPHeaders, request: HTTPHeaders) {
    // Most responses do not vary.
    guard response.contains(.vary) || request.contains(.authorization) else {
      fields = []
      return
    }
    var names = Set(response.members(of: .vary).map { ASCII.lowercased($0) })
    if request.contains(.authorization), !CacheControl(response).flags.contains(.isPublic) {
      names.insert("authorization")
    }
    fields = names.sorted()
      .map { Field(name: $0, value: Self.value(of: HTTPHeaders.Name($0), in: request)) }
  }

  /// Returns a Boolean value that indicates whether `Vary` contains `*`, or more than 64 names, which
  /// count as `*`: the response answers no later request.
  public static func isUnmatchable(_ response: HTTPHeaders) -> Bool {
    let names = response.members(of: .vary)
    return names.count > maximumCount || names.contains("*")
  }

  /// Returns a Boolean value that indicates whether a request with these headers may get the
  /// response.
  ///
  /// Fields match if they are absent from both, or have the same members in the same order,
  /// regardless of lines and white space. `Accept`, `Accept-Encoding` and `Accept-Language` match
  /// if their members have the same weights, in any order and any case.
  public func match(_ request: HTTPHeaders) -> Bool {
    fields.isEmpty
      || fields.allSatisfy { field in
        let name = HTTPHeaders.Name(field.name)
        return request.isOnlyLine(field.value, of: name) && !field.isDigest
          || field.stands(for: Self.value(of: name, in: request))
      }
  }

  /// Returns a Boolean value that indicates whether one request may match both: no field in both
  /// has two values.
  func agrees(with other: VaryingFields) -> Bool {
    if fields.isEmpty || other.fields.isEmpty { return true }
    // A few names are found faster than hashed; any number of them may come from a store's files.
    guard other.fields.count > 8 else {
      return fields.allSatisfy { field in
        other.fields.first { $0.name == field.name }.map { $0 == field } ?? true
      }
    }
    let others = Dictionary(other.fields.map { ($0.name, $0) }) { first, _ in first }
    return fields.allSatisfy { field in others[field.name].map { $0 == field } ?? true }
  }

  /// The fields of a request that selects the response, as far as their values are known: not those of which a digest
  /// is stored.
  package var knownFields: HTTPHeaders {
    VaryingFields(fields: fields.filter { !$0.isDigest }).sample
  }

  /// Returns the names of the fields that do not match.
  package func mismatches(_ request: HTTPHeaders) -> [String] {
    fields.filter { !VaryingFields(fields: [$0]).match(request) }.map(\.name)
  }

  static func value(of name: HTTPHeaders.Name, in request: HTTPHeaders) -> String? {
    guard request.contains(name) else { return nil }
    let members = request.members(of: name)
    let normal = PreferenceList.defines(name) ? PreferenceList.normalized(members) : nil
    let value = normal ?? members.joined(separator: ",")
    // Credentials are compared by digest, so that no store holds them; a value that begins with the
    // mark of salted values must not be mistaken for one.
    return Redaction.isSecret(name) || value.hasPrefix(mark)
      ? SHA256Hasher.digest(of: Data(value.utf8)).hex : value
  }
}

extension HTTPHeaders {
  /// Returns a Boolean value that indicates whether the field has one line, which is literally the
  /// value: the usual case, which needs no comparison of members.
  fileprivate func isOnlyLine(_ value: String?, of name: Name) -> Bool {
    guard let value, let first = firstIndex(where: { $0.name == name }),
      self[first].value.hasSameBytes(as: value)
    else { return false }
    return !self[(first + 1)...].contains { $0.name == name }
  }
}
