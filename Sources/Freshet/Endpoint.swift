public import Foundation

/// A service call declared as a value: what it asks for, what it gets, and how it fails.
///
/// Two lines make a GET; everything else has a default.
///
/// ```swift
/// struct ShowUser: Endpoint {
///   typealias Output = User
///   var id: Int
///   var path: RequestPath { "users/\(id)" }
/// }
///
/// let user = try await client.call(ShowUser(id: 7)).output
/// ```
///
/// ``isError(_:)`` decides what an error response is, ``payload`` where the output stands in any other,
/// and ``decoding`` how it is read.
///
/// A member of a wrong type, such as `let headers = ["X-Key": key]`, a dictionary of texts, does not
/// compile, and the error says which type the member has. A member that is `async`, or a function where
/// a property is meant, is another one to the compiler: it is left out.
public protocol Endpoint: EndpointMembers {
  /// What the call gets.
  associatedtype Output: Sendable
  /// What error responses hold; nothing by default.
  associatedtype Failure: Decodable & Sendable = NoErrorModel

  /// The method; `GET` by default.
  var method: HTTPMethod { get }
  /// Where the call goes, relative to the client's ``Client/Configuration/baseURL``: see
  /// ``RequestPath`` and ``RequestPath/url(base:)`` for the rules.
  ///
  /// It goes nowhere else: what stands in the path is sent in no other place.
  ///
  /// What it throws fails the call, as for ``body``.
  var path: RequestPath { get throws }
  /// What stands behind the question mark, beside what the path has there; nothing by default.
  ///
  /// ```swift
  /// var query: ParameterList { ["page": page, "tags": tags] }
  /// ```
  ///
  /// What it throws fails the call, as for ``body``.
  var query: ParameterList { get throws }
  /// How the query is written; by default, see ``QueryEncoding``.
  var queryEncoding: QueryEncoding { get }
  /// The header fields of this call and of no other; none by default.
  var headers: HTTPHeaders { get }
  /// What the call carries, such as `try .json(draft)`, `try .form(login)` or
  /// `try .multipart(form)`; nothing by default.
  ///
  /// What it throws fails the call before anything is sent: a ``FreshetError`` as it is, anything else as
  /// ``FreshetError/invalidRequest(_:url:)``, which names the type of the error.
  var body: RequestBody? { get throws }
  /// Timeouts, retries, stores, the demo's answer and the like; the defaults by default.
  var options: CallOptions { get }

  /// Where in the body the output stands; it is the whole body by default.
  ///
  /// A payload that is missing or `null`, or a body that is empty, is an error unless the output is
  /// optional or ``Empty``.
  var payload: PayloadPath { get }
  /// How the body, or the payload, becomes the output; JSON by default, or the bytes
  /// as they are for `Data`.
  var decoding: Decoding<Output> { get }
  /// The media types that the body may have; by default those of ``decoding``: JSON under its usual
  /// names (``ContentTypes/json``), anything for other decodings.
  ///
  /// A body of which the server says that it is something else, such as the page of a captive portal, is
  /// ``FreshetError/decoding(_:head:body:)``. One without a `Content-Type` is accepted.
  var contentTypes: ContentTypes { get }
  /// How error responses become the failure's model; JSON by default.
  var errorDecoding: Decoding<Failure> { get }
  /// Whether a response is an error; a status outside of 2xx is, by default.
  ///
  /// It is asked off the caller's actor, and may look at the body:
  /// ``Response/hasValue(at:)``.
  func isError(_ response: Response<Data>) -> Bool

  /// There is one if ``decoding`` has the right type, see ``EndpointMembers``.
  static var checkedDecoding: Void { get }
  /// There is one if ``errorDecoding`` has the right type, see ``EndpointMembers``.
  static var checkedErrorDecoding: Void { get }
}

extension Endpoint {
  /// `GET`.
  public var method: HTTPMethod { .get }
  /// Nothing.
  public var query: ParameterList { [:] }
  /// The default encoding.
  public var queryEncoding: QueryEncoding { QueryEncoding() }
  /// None.
  public var headers: HTTPHeaders { [:] }
  /// Nothing.
  public var body: RequestBody? { nil }
  /// The default options.
  public var options: CallOptions { CallOptions() }
  /// The whole body.
  public var payload: PayloadPath { PayloadPath() }
  /// Those of the decoding.
  public var contentTypes: ContentTypes { decoding.contentTypes }
  /// JSON.
  public var errorDecoding: Decoding<Failure> { .json }
  /// Whether the status is outside of 2xx.
  public func isError(_ response: Response<Data>) -> Bool { !response.status.isSuccess }
}

extension Endpoint where Output: Decodable {
  /// JSON; the bytes as they are for `Data`.
  public var decoding: Decoding<Output> { .standard }
}
