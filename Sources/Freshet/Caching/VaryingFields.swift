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
    /// The combined value with white space normalised, or `nil` if the field was absent.
    public let value: String?
  }

  /// No field chose: the response answers every request with its key.
  public static let none = VaryingFields(fields: [])

  init(fields: [Field]) {
    self.fields = fields
  }

  /// Reads which fields chose from a response's `Vary`.
  ///
  /// A `Vary` with `*` is not represented: such a response must not be reused, see ``isUnmatchable(_:)``.
  ///
  /// - Parameters:
  ///   - response: The response's headers.
  ///   - request: The headers of the request that it answered.
  public init(response: HTTPHeaders, request: HTTPHeaders) {
    let names = Self.names(in: response)
    fields = Set(names).sorted()
      .map { name in
        Field(name: name, value: Self.normalized(request.combined(HTTPHeaders.Name(name))))
      }
  }

  /// Whether `Vary` holds `*`: the response answers no later request.
  public static func isUnmatchable(_ response: HTTPHeaders) -> Bool {
    names(in: response).contains("*")
  }

  /// Whether a request with these headers may get the response.
  public func match(_ request: HTTPHeaders) -> Bool {
    fields.allSatisfy { field in
      field.value == Self.normalized(request.combined(HTTPHeaders.Name(field.name)))
    }
  }

  private static func names(in response: HTTPHeaders) -> [String] {
    response[values: .vary]
      .flatMap { value in
        value.split(separator: ",").map { ASCII.trimmed($0).lowercased() }
      }
  }

  private static func normalized(_ value: String?) -> String? {
    value.map { value in
      value.split(separator: ",", omittingEmptySubsequences: false)
        .map { ASCII.trimmed($0) }
        .joined(separator: ",")
    }
  }
}
