/// A response with its body as a value, such as `Response<Data>`.
public struct Response<Value: Sendable>: Sendable {
  /// Status, headers and URL.
  public typealias Head = ResponseHead

  /// Status, headers and URL.
  public var head: Head
  /// The body, as whatever the pipeline made of it.
  public var value: Value

  /// Makes a response.
  public init(head: Head, value: Value) {
    self.head = head
    self.value = value
  }

  /// The status code.
  public var status: HTTPStatus { head.status }
  /// The header fields.
  public var headers: HTTPHeaders { head.headers }

  /// The same response with another value.
  public func map<Other, Failure: Error>(
    _ transform: (Value) throws(Failure) -> Other
  ) throws(Failure) -> Response<Other> {
    Response<Other>(head: head, value: try transform(value))
  }
}
