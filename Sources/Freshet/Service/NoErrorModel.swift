/// The error model of a service that has none: it has no values.
///
/// The status, the headers and the body of an error response are still in its ``Rejection``.
public enum NoErrorModel: Decodable, Sendable, Hashable {
  /// Always throws, because there is no value.
  public init(from decoder: any Decoder) throws {
    throw DecodingFailure.Reason("there is no error model")
  }
}
