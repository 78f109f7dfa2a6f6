/// A response status code, as RFC 9110 section 15 defines it.
///
/// An integer literal is one, and few have a name: `response.status == 201`.
public struct HTTPStatus: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// The code, usually 100 to 599.
  public let rawValue: Int

  /// Creates a status from its code.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Creates a status from its code.
  public init(_ code: Int) {
    self.init(rawValue: code)
  }

  /// Creates a status from its code.
  public init(integerLiteral code: Int) {
    self.init(rawValue: code)
  }
}

extension HTTPStatus {
  /// 200: the request succeeded.
  public static let ok = HTTPStatus(200)
  /// 204: the request succeeded, and there is no body.
  public static let noContent = HTTPStatus(204)
  /// 206: the body is a part of the representation.
  public static let partialContent = HTTPStatus(206)
  /// 304: the stored copy is still valid.
  public static let notModified = HTTPStatus(304)
  /// 404: there is no such resource.
  public static let notFound = HTTPStatus(404)
  /// 412: a condition in the request did not hold.
  public static let preconditionFailed = HTTPStatus(412)
  /// 416: the requested range does not exist.
  public static let rangeNotSatisfiable = HTTPStatus(416)
}

extension HTTPStatus {
  /// A Boolean value that indicates whether the code is 100 to 199: a final response follows.
  public var isInformational: Bool { (100...199).contains(rawValue) }
  /// A Boolean value that indicates whether the code is 200 to 299.
  public var isSuccess: Bool { (200...299).contains(rawValue) }
  /// A Boolean value that indicates whether the code is 300 to 399.
  public var isRedirection: Bool { (300...399).contains(rawValue) }
  /// A Boolean value that indicates whether the code is 400 to 499.
  public var isClientError: Bool { (400...499).contains(rawValue) }
  /// A Boolean value that indicates whether the code is 500 to 599.
  public var isServerError: Bool { (500...599).contains(rawValue) }
}

extension HTTPStatus: CustomStringConvertible {
  /// The digits of the code.
  public var description: String { String(rawValue) }
}

extension HTTPStatus {
  /// A Boolean value that indicates whether a final response with this status ends after its head (RFC
  /// 9112 section 6.3).
  var endsWithHead: Bool { self == .noContent || self == .notModified }
  /// A Boolean value that indicates whether a response with this status may have a body (RFC 9110
  /// section 6.4.1).
  var mayHaveBody: Bool { !isInformational && !endsWithHead }
}
