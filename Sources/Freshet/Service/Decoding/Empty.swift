/// The value of a response whose body does not matter: 204, 205, the response to a HEAD.
///
/// It is decoded from any body, from an empty one too, and never fails.
///
/// ```swift
/// try await client.send(Request(.delete, url)).decode(Empty.self).value
/// ```
public struct Empty: Decodable, Sendable, Hashable {
  /// Makes the value.
  public init() {}

  /// Makes the value, whatever there is.
  public init(from decoder: any Decoder) {}
}
