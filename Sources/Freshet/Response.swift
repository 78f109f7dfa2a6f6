public import FreshetEssentials

/// A response with its body as a value, such as `Response<Data>`.
///
/// The raw body stays with the response, whatever stages the pipeline has; it shares its memory
/// with the value until one of them is changed.
public struct Response<Value: Sendable>: Sendable {
  /// Status, headers and URL.
  public typealias Head = ResponseHead

  /// Status, headers and URL.
  public var head: Head
  /// The value that the pipeline has made of the body.
  public var value: Value

  var record: ResponseRecord

  /// Makes a response.
  public init(head: Head, value: Value) {
    self.init(head: head, value: value, record: ResponseRecord())
  }

  init(head: Head, value: Value, record: ResponseRecord) {
    self.head = head
    self.value = value
    self.record = record
  }

  /// The status code.
  public var status: HTTPStatus { head.status }
  /// The header fields.
  public var headers: HTTPHeaders { head.headers }

  /// The whole body as it was received, whatever the ``value`` is.
  ///
  /// It is empty if the response was made without one.
  public var body: Data { record.body ?? (value as? Data) ?? Data() }

  /// The array elements that a lenient decoding has left out, in order, see
  /// ``Decoding/lenient(keys:with:)``.
  public var skipped: [DecodingFailure] { record.skipped }

  /// Returns the response with another value.
  public func map<Other, Failure: Error>(
    _ transform: (Value) throws(Failure) -> Other
  ) throws(Failure) -> Response<Other> {
    replacing(try transform(value))
  }

  /// Returns the response with another value, and the raw body of this one.
  func replacing<Other>(_ value: Other) -> Response<Other> {
    var record = record
    record.body = body
    return Response<Other>(head: head, value: value, record: record)
  }
}
