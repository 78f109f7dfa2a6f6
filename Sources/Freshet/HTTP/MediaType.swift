/// A media type with its parameters (RFC 9110 section 8.3.1).
///
/// ```swift
/// let type = MediaType("text/html; charset=\"UTF-8\"")
/// type?["charset"]            // "UTF-8"
/// type?.matches("text/*")     // true
/// ```
///
/// Two media types are equal if their parameters are the same in the same order.
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
      self.name = ASCII.lowercased(name)
      self.value = value
    }
  }

  /// Makes a media type of its parts.
  ///
  /// Nothing is checked here: a body whose media type is not valid is refused when its request is
  /// sent.
  public init(_ type: String, _ subtype: String, parameters: [Parameter] = []) {
    self.type = ASCII.lowercased(type)
    self.subtype = ASCII.lowercased(subtype)
    self.parameters = parameters
  }

  /// The value of the first parameter with this name in any case, or `nil`.
  public subscript(parameter: String) -> String? {
    parameters.first { ASCII.equalIgnoringCase($0.name, parameter) }?.value
  }
}

extension MediaType {
  /// The type of JSON, `application/json`.
  public static let json = MediaType("application", "json")
  /// The type of bytes of which nothing is known, `application/octet-stream`.
  public static let octetStream = MediaType("application", "octet-stream")
  /// The type of text in UTF-8, `text/plain; charset=utf-8`.
  public static let plainText = MediaType(
    "text",
    "plain",
    parameters: [Parameter(name: "charset", value: "utf-8")]
  )
}

extension MediaType {
  /// Whether it is JSON: `json` itself or any `+json` (RFC 6839 section 3.1).
  public var isJSON: Bool {
    subtype == "json" || subtype.hasSuffix("+json")
  }

  /// Whether it is within a range such as `*/*`, `image/*` or `text/html; charset=utf-8`.
  ///
  /// Parameters of the range must be there with the same value, in any case; others do not count,
  /// and neither does the range's weight, `q` (RFC 9110 section 12.5.1). Text that is not a media
  /// range matches nothing.
  public func matches(_ range: String) -> Bool {
    MediaType(range).map(matches) ?? false
  }

  /// Whether it is within a range, whose type and subtype may be `*`.
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
