/// A media type with its parameters (RFC 9110 section 8.3.1).
///
/// ```swift
/// let type = MediaType("text/html; charset=\"UTF-8\"")
/// type?["charset"]            // "UTF-8"
/// type?.matches("text/*")     // true
/// ```
///
/// Two media types are equal if they have the same parameters in the same order.
public struct MediaType: Sendable, Hashable {
  /// The type in lower case, such as `text`.
  public let type: String
  /// The subtype in lower case, such as `html` or `problem+json`.
  public let subtype: String
  /// The parameters in order, with their names in lower case and their values unquoted.
  public let parameters: [Parameter]

  /// A parameter of a media type.
  public struct Parameter: Sendable, Hashable {
    /// The name in lower case.
    public let name: String
    /// The value, unquoted.
    public let value: String

    /// Creates a parameter.
    public init(name: String, value: String) {
      self.name = ASCII.lowercased(name)
      self.value = value
    }
  }

  /// Creates a media type from its parts.
  ///
  /// Nothing is checked here: a request whose body has an invalid media type is refused when it is sent.
  public init(_ type: String, _ subtype: String, parameters: [Parameter] = []) {
    self.type = ASCII.lowercased(type)
    self.subtype = ASCII.lowercased(subtype)
    self.parameters = parameters
  }

  /// The value of the first parameter with a name, in any case, or `nil`.
  public subscript(parameter: String) -> String? {
    parameters.first { ASCII.equalIgnoringCase($0.name, parameter) }?.value
  }
}

extension MediaType {
  /// The media type of JSON, `application/json`.
  public static let json = MediaType("application", "json")
  /// The media type of arbitrary bytes, `application/octet-stream`.
  public static let octetStream = MediaType("application", "octet-stream")
  /// The media type of text in UTF-8, `text/plain; charset=utf-8`.
  public static let plainText = MediaType(
    "text",
    "plain",
    parameters: [Parameter(name: "charset", value: "utf-8")]
  )
}

extension MediaType {
  /// A Boolean value that indicates whether it is JSON: `json` itself or any `+json` (RFC 6839 section 3.1).
  public var isJSON: Bool { subtype == "json" || subtype.hasSuffix("+json") }

  /// Returns whether it is in a range such as `*/*`, `image/*` or `text/html; charset=utf-8`.
  ///
  /// The parameters of the range must be present with the same value, in any case. Other parameters are
  /// ignored, and so is the weight of the range, `q` (RFC 9110 section 12.5.1). Text that is not a
  /// media range matches nothing.
  public func matches(_ range: String) -> Bool {
    MediaType(range).map(matches) ?? false
  }

  /// Returns whether it is in a range, whose type and subtype may be `*`.
  public func matches(_ range: MediaType) -> Bool {
    let isInside =
      range.type == "*"
      ? range.subtype == "*" : range.type == type && ["*", subtype].contains(range.subtype)
    return isInside
      && range.parameters.allSatisfy { wanted in
        wanted.name == "q"
          || self[wanted.name].map { ASCII.equalIgnoringCase($0, wanted.value) } == true
      }
  }
}
