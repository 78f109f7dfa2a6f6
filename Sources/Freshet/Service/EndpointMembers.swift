public import FreshetEssentials

/// The members of an ``Endpoint`` that have defaults, with the type that an endpoint declares.
///
/// Swift uses a default where an endpoint has no member of the right type, so that one of a wrong type
/// would be ignored silently. This protocol has the same members of any type, and compares the types:
/// `let method = "POST"` is a compiler error that names the member and shows the right declaration.
///
/// Declare an ``Endpoint``, which inherits from this protocol.
public protocol EndpointMembers: Sendable {
  /// The type of `method`.
  associatedtype MethodMember
  /// The type of `query`.
  associatedtype QueryMember
  /// The type of `queryEncoding`.
  associatedtype QueryEncodingMember
  /// The type of `headers`.
  associatedtype HeadersMember
  /// The type of `body`.
  associatedtype BodyMember
  /// The type of `options`.
  associatedtype OptionsMember
  /// The type of `payload`.
  associatedtype PayloadMember
  /// The type of `decoding`.
  associatedtype DecodingMember
  /// The type of `contentTypes`.
  associatedtype ContentTypesMember
  /// The type of `errorDecoding`.
  associatedtype ErrorDecodingMember
  /// The parameter of `isError(_:)`.
  associatedtype JudgedMember
  /// The result of `isError(_:)`.
  associatedtype VerdictMember
  /// The error that `isError(_:)` throws.
  associatedtype VerdictFailure: Error

  /// See ``Endpoint/method``.
  var method: MethodMember { get }
  /// See ``Endpoint/query``.
  var query: QueryMember { get throws }
  /// See ``Endpoint/queryEncoding``.
  var queryEncoding: QueryEncodingMember { get }
  /// See ``Endpoint/headers``.
  var headers: HeadersMember { get }
  /// See ``Endpoint/body``.
  var body: BodyMember { get throws }
  /// See ``Endpoint/options``.
  var options: OptionsMember { get }
  /// See ``Endpoint/payload``.
  var payload: PayloadMember { get }
  /// See ``Endpoint/decoding``.
  var decoding: DecodingMember { get }
  /// See ``Endpoint/contentTypes``.
  var contentTypes: ContentTypesMember { get }
  /// See ``Endpoint/errorDecoding``.
  var errorDecoding: ErrorDecodingMember { get }
  /// See ``Endpoint/isError(_:)``.
  func isError(_ response: JudgedMember) throws(VerdictFailure) -> VerdictMember

  /// Available if `method` has the right type.
  static var checkedMethod: Void { get }
  /// Available if `query` has the right type.
  static var checkedQuery: Void { get }
  /// Available if `queryEncoding` has the right type.
  static var checkedQueryEncoding: Void { get }
  /// Available if `headers` has the right type.
  static var checkedHeaders: Void { get }
  /// Available if `body` has the right type.
  static var checkedBody: Void { get }
  /// Available if `options` has the right type.
  static var checkedOptions: Void { get }
  /// Available if `payload` has the right type.
  static var checkedPayload: Void { get }
  /// Available if `contentTypes` has the right type.
  static var checkedContentTypes: Void { get }
  /// Available if `isError(_:)` has the right type.
  static var checkedIsError: Void { get }
}

// MARK: - Right types

extension EndpointMembers where MethodMember == HTTPMethod {
  /// `method` has the right type.
  public static var checkedMethod: Void { () }
}

extension EndpointMembers where QueryMember == ParameterList {
  /// `query` has the right type.
  public static var checkedQuery: Void { () }
}

extension EndpointMembers where QueryEncodingMember == QueryEncoding {
  /// `queryEncoding` has the right type.
  public static var checkedQueryEncoding: Void { () }
}

extension EndpointMembers where HeadersMember == HTTPHeaders {
  /// `headers` has the right type.
  public static var checkedHeaders: Void { () }
}

extension EndpointMembers where BodyMember == RequestBody? {
  /// `body` has the right type.
  public static var checkedBody: Void { () }
}

extension EndpointMembers where OptionsMember == CallOptions {
  /// `options` has the right type.
  public static var checkedOptions: Void { () }
}

extension EndpointMembers where PayloadMember == PayloadPath {
  /// `payload` has the right type.
  public static var checkedPayload: Void { () }
}

extension EndpointMembers where ContentTypesMember == ContentTypes {
  /// `contentTypes` has the right type.
  public static var checkedContentTypes: Void { () }
}

extension EndpointMembers
where JudgedMember == Response<Data>, VerdictMember == Bool, VerdictFailure == Never {
  /// `isError(_:)` has the right type.
  public static var checkedIsError: Void { () }
}

extension Endpoint where DecodingMember == Decoding<Output> {
  /// `decoding` has the right type.
  public static var checkedDecoding: Void { () }
}

extension Endpoint where ErrorDecodingMember == Decoding<Failure> {
  /// `errorDecoding` has the right type.
  public static var checkedErrorDecoding: Void { () }
}

// MARK: - Wrong types

// Chosen for a member that matches none of the above: the message is the compiler's error.
extension EndpointMembers {
  /// `method` has a wrong type.
  @available(
    *,
    unavailable,
    message: "`method` is not an HTTPMethod; write `var method: HTTPMethod { .post }`"
  )
  public static var checkedMethod: Void { () }

  /// `query` has a wrong type.
  @available(
    *,
    unavailable,
    message: "`query` is not a ParameterList; write `var query: ParameterList { [\"page\": page] }`"
  )
  public static var checkedQuery: Void { () }

  /// `queryEncoding` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `queryEncoding` is not a QueryEncoding; write \
      `var queryEncoding: QueryEncoding { QueryEncoding { $0.arrays = .commas } }`
      """
  )
  public static var checkedQueryEncoding: Void { () }

  /// `headers` has a wrong type.
  @available(
    *,
    unavailable,
    message: "`headers` is not HTTPHeaders; write `var headers: HTTPHeaders { [\"X-Key\": key] }`"
  )
  public static var checkedHeaders: Void { () }

  /// `body` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `body` is not an optional RequestBody; write \
      `var body: RequestBody? { get throws { try .json(draft) } }`
      """
  )
  public static var checkedBody: Void { () }

  /// `options` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `options` is not CallOptions; write \
      `var options: CallOptions { CallOptions { $0.timeouts.total = .seconds(10) } }`
      """
  )
  public static var checkedOptions: Void { () }

  /// `payload` has a wrong type.
  @available(
    *,
    unavailable,
    message: "`payload` is not a PayloadPath; write `var payload: PayloadPath { \"data.user\" }`"
  )
  public static var checkedPayload: Void { () }

  /// `contentTypes` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `contentTypes` is not ContentTypes; write \
      `var contentTypes: ContentTypes { ContentTypes(["text/csv"]) }`
      """
  )
  public static var checkedContentTypes: Void { () }

  /// `isError(_:)` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `isError(_:)` takes or returns something else, or throws; write \
      `func isError(_ response: Response<Data>) -> Bool`
      """
  )
  public static var checkedIsError: Void { () }
}

extension Endpoint {
  /// `decoding` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `decoding` is not a Decoding of the Output; write \
      `var decoding: Decoding<Output> { .json { decoder } }`
      """
  )
  public static var checkedDecoding: Void { () }

  /// `errorDecoding` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `errorDecoding` is not a Decoding of the Failure; write \
      `var errorDecoding: Decoding<Failure> { .json { decoder } }`
      """
  )
  public static var checkedErrorDecoding: Void { () }
}
