/// The value of a response whose body is ignored: 204, 205, the response to a HEAD.
///
/// It is decoded from any body, including an empty one, and never fails.
///
/// ```swift
/// try await client.send(Request(.delete, url)).decode(EmptyResponse.self).value
/// ```
public struct EmptyResponse: Decodable, Sendable, Hashable {
  /// Makes the value.
  public init() {}

  /// Makes the value from any input.
  public init(from decoder: any Decoder) {}
}
