import Foundation

/// The values of the request's fields that chose a response (RFC 9111 section 4.1).
///
/// A stored response may answer only requests that have the same values for each of them.
public struct VaryingFields: Sendable, Hashable {
  /// The fields, sorted by name in lower case; `nil` when the request did not have the field.
  public let fields: [Field]

  /// One field that chose.
  public struct Field: Sendable, Hashable, Codable {
    /// The name in lower case.
    public let name: String
    /// The combined value with white space normalised, or `nil` if the field was absent; of `Accept`,
    /// `Accept-Encoding` and `Accept-Language` in lower case, in the order of the weights.
    ///
    /// Of a credential or a cookie it is the SHA-256; in the files of a store, it is a salted SHA-256, whatever the
    /// field.
    public let value: String?
  }

  /// No field chose: the response answers every request with its key.
  public static let none = VaryingFields(fields: [])

  init(fields: [Field]) {
    self.fields = fields
  }

  /// Reads which fields chose from a response's `Vary`.
  ///
  /// The request's `Authorization` chose as well, unless the response is `public`: nobody gets what
  /// was meant for somebody else's credentials.
  ///
  /// A `Vary` with `*` is not represented: such a response must not be reused, see ``isUnmatchable(_:)``.
  ///
  /// - Parameters:
  ///   - response: The response's headers.
  ///   - request: The headers of the request that it answered.
  public init(response: HTTPHeaders, request: HTTPHeaders) {
    // Most responses are the same for everybody.
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

  /// Whether `Vary` holds `*`: the response answers no later request.
  public static func isUnmatchable(_ response: HTTPHeaders) -> Bool {
    response.members(of: .vary).contains("*")
  }

  /// Whether a request with these headers may get the response.
  ///
  /// Fields match if they are absent from both, or have the same members in the same order however
  /// they are spread over lines and whatever white space is around them. `Accept`, `Accept-Encoding`
  /// and `Accept-Language` match if their members have the same weights, in any order and any case.
  public func match(_ request: HTTPHeaders) -> Bool {
    fields.isEmpty
      || fields.allSatisfy { field in
        let name = HTTPHeaders.Name(field.name)
        return request.isOnlyLine(field.value, of: name) && !field.isDigest
          || field.stands(for: Self.value(of: name, in: request))
      }
  }

  /// Whether a request may have both: no field that chose both has two values.
  func agrees(with other: VaryingFields) -> Bool {
    if fields.isEmpty || other.fields.isEmpty { return true }
    return fields.allSatisfy { field in
      other.fields.first { $0.name == field.name }.map { $0 == field } ?? true
    }
  }

  /// The names of the fields that do not match.
  func mismatches(_ request: HTTPHeaders) -> [String] {
    fields.filter { !VaryingFields(fields: [$0]).match(request) }.map(\.name)
  }

  static func value(of name: HTTPHeaders.Name, in request: HTTPHeaders) -> String? {
    guard request.contains(name) else { return nil }
    let members = request.members(of: name)
    let normal = PreferenceList.defines(name) ? PreferenceList.normalized(members) : nil
    let value = normal ?? members.joined(separator: ",")
    // Credentials are compared by digest, so that no store holds them; a value that begins with the mark
    // of salted ones must not pass for one.
    return Redaction.isSecret(name) || value.hasPrefix(mark)
      ? SHA256Hasher.digest(of: Data(value.utf8)).hex : value
  }
}

extension HTTPHeaders {
  /// Whether the field has one line, and that is the value to the letter: the usual case, which
  /// spares the comparison of members.
  fileprivate func isOnlyLine(_ value: String?, of name: Name) -> Bool {
    guard let value, let first = firstIndex(where: { $0.name == name }), self[first].value == value
    else { return false }
    return !self[(first + 1)...].contains { $0.name == name }
  }
}
