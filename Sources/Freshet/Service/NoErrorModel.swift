/// The error model of a service that has none: there is no value of it.
///
/// The status, the headers and the body of an error response are in its ``Rejection`` all the same.
public enum NoErrorModel: Decodable, Sendable, Hashable {
  /// Always fails, for there is no value.
  public init(from decoder: any Decoder) throws {
    throw DecodingFailure.Reason("there is no error model")
  }
}
