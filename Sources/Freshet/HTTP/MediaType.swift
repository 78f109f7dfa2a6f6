/// A media type with its parameters, such as `text/html; charset=utf-8` (RFC 9110 section 8.3.1).
public struct MediaType: Sendable, Hashable {
  /// The type in lower case, such as `text`.
  public let type: String
  /// The subtype in lower case, such as `html` or `problem+json`.
  public let subtype: String
  /// The parameters in order, their names in lower case, their values unquoted.
  public let parameters: [Parameter]

  /// One parameter of a media type.
  public struct Parameter: Sendable, Hashable {
    /// The name in lower case.
    public let name: String
    /// The value, unquoted.
    public let value: String

    /// Makes a parameter.
    public init(name: String, value: String) {
      self.name = name.lowercased()
      self.value = value
    }
  }

  /// Makes a media type of its parts.
  public init(_ type: String, _ subtype: String, parameters: [Parameter] = []) {
    self.type = type.lowercased()
    self.subtype = subtype.lowercased()
    self.parameters = parameters
  }
}

extension MediaType {
  /// `application/json`
  public static let json = MediaType("application", "json")
  /// `application/octet-stream`
  public static let octetStream = MediaType("application", "octet-stream")
  /// `text/plain; charset=utf-8`
  public static let plainText = MediaType(
    "text",
    "plain",
    parameters: [Parameter(name: "charset", value: "utf-8")]
  )
}
