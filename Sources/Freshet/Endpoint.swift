public import FreshetEssentials

/// A service call declared as a value: its request, its output, and its failure.
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
/// ``isError(_:)`` decides what an error response is, ``payload`` is the path of the output in any
/// other, and ``decoding`` decodes it.
///
/// A member of a wrong type, such as `let headers = ["X-Key": key]`, a dictionary of texts, does
/// not compile, and the error names the member. A member that is `async`, or a function instead of
/// a property, is a different member to the compiler: it is ignored.
public protocol Endpoint: EndpointMembers {
  /// The type of the value.
  associatedtype Output: Sendable
  /// The type of the error model; none by default.
  associatedtype Failure: Decodable & Sendable = NoErrorModel

  /// The method; `GET` by default.
  var method: HTTPMethod { get }
  /// The path of the call, relative to the client's ``Client/Configuration/baseURL``: see
  /// ``RequestPath`` and ``RequestPath/url(base:)`` for the rules.
  ///
  /// Its values are sent only there, neither in the query nor in the body.
  ///
  /// An error that it throws fails the call, as for ``body``.
  var path: RequestPath { get throws }
  /// The parameters in the query, in addition to those of the path; none by default.
  ///
  /// ```swift
  /// var query: ParameterList { ["page": page, "tags": tags] }
  /// ```
  ///
  /// An error that it throws fails the call, as for ``body``.
  var query: ParameterList { get throws }
  /// The encoding of the query; the default one by default, see ``QueryEncoding``.
  var queryEncoding: QueryEncoding { get }
  /// The header fields of this call only; none by default.
  var headers: HTTPHeaders { get }
  /// The body of the request, such as `try .json(draft)`, `try .form(login)` or
  /// `try .multipart(form)`; none by default.
  ///
  /// An error that it throws fails the call before anything is sent: a ``FreshetError`` unchanged,
  /// any other as ``FreshetError/invalidRequest(_:url:)``, which contains the type of the error.
  var body: RequestBody? { get throws }
  /// Timeouts, retries, stores, the demo's response and other options; the default ones by default.
  var options: CallOptions { get }

  /// The path of the output in the body; the whole body by default.
  ///
  /// A payload that is missing or `null`, or a body that is empty, is an error unless the output is
  /// optional or ``EmptyResponse``.
  var payload: PayloadPath { get }
  /// The decoding of the body, or the payload; JSON by default, or the unchanged bytes for `Data`.
  var decoding: Decoding<Output> { get }
  /// The media types that the body may have; by default those of ``decoding``: JSON under its usual
  /// names (``ContentTypes/json``), any for other decodings and for ``EmptyResponse``.
  ///
  /// A body of another media type, such as the page of a captive portal, fails with
  /// ``FreshetError/decoding(_:head:body:)``, and is not stored. One without a `Content-Type` is accepted.
  var contentTypes: ContentTypes { get }
  /// The decoding of the error model; JSON by default.
  var errorDecoding: Decoding<Failure> { get }
  /// Returns a Boolean value that indicates whether a response is an error; one with a status
  /// outside of 2xx is, by default.
  ///
  /// It is called off the caller's actor, and may examine the body: ``Response/hasValue(at:)``. An error
  /// with a status of 2xx is not stored, and replaces no stored response; a stored one is removed.
  func isError(_ response: Response<Data>) -> Bool

  /// Available if ``decoding`` has the right type, see ``EndpointMembers``.
  static var checkedDecoding: Void { get }
  /// Available if ``errorDecoding`` has the right type, see ``EndpointMembers``.
  static var checkedErrorDecoding: Void { get }
}

extension Endpoint {
  /// `GET`.
  public var method: HTTPMethod { .get }
  /// No parameters.
  public var query: ParameterList { [:] }
  /// The default encoding.
  public var queryEncoding: QueryEncoding { QueryEncoding() }
  /// No header fields.
  public var headers: HTTPHeaders { [:] }
  /// No body.
  public var body: RequestBody? { nil }
  /// The default options.
  public var options: CallOptions { CallOptions() }
  /// The whole body.
  public var payload: PayloadPath { PayloadPath() }
  /// The media types of the decoding.
  public var contentTypes: ContentTypes { decoding.contentTypes }
  /// JSON.
  public var errorDecoding: Decoding<Failure> { .json }
  /// Returns a Boolean value that indicates whether the status is outside of 2xx.
  public func isError(_ response: Response<Data>) -> Bool { !response.status.isSuccess }
}

extension Endpoint where Output: Decodable {
  /// JSON, or the unchanged bytes for `Data`.
  public var decoding: Decoding<Output> { .standard }
}
