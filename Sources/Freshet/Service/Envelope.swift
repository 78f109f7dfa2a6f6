import FreshetEssentials

/// A model of a whole response body, one part of which, the payload, is the requested value.
///
/// ```swift
/// struct Page<Item: Decodable & Sendable>: Envelope {
///   var data: [Item]
///   var meta: Meta
///   var payload: [Item] { data }
/// }
///
/// let users = try await client.send(.get("users")).unwrap(as: Page<User>.self).value
/// users.value                                  // [User]
/// users.envelope(as: Page<User>.self)?.meta    // its sibling, typed
/// ```
///
/// A payload that may be missing or `null` is optional in the model; the absence of any other one
/// is an error.
public protocol Envelope: Decodable, Sendable {
  /// The type of the requested value.
  associatedtype Payload: Sendable
  /// The requested value.
  var payload: Payload { get }
}

extension Response {
  /// Returns the envelope that contained the value, with its other members.
  ///
  /// - Parameter type: The envelope that the pipeline has unwrapped.
  /// - Returns: The envelope, or `nil` if the value came in none or in another one.
  public func envelope<Wrapper: Envelope>(as type: Wrapper.Type) -> Wrapper? {
    record.envelope as? Wrapper
  }

  /// Decodes another part of the body that contained the value, such as `meta` beside `data`.
  ///
  /// It parses the raw body on each call, on the caller's thread.
  ///
  /// - Parameters:
  ///   - path: The path of the part in the whole body.
  ///   - type: The type of the part.
  ///   - decoding: The decoding of the part; JSON by default.
  /// - Returns: The part.
  /// - Throws: ``FreshetError/decoding(_:head:body:)`` if it is missing or cannot be decoded. A
  ///   part of an optional type may be missing.
  public func sibling<Part: Decodable & Sendable>(
    at path: PayloadPath,
    as type: Part.Type,
    with decoding: Decoding<Part> = .json
  ) throws(FreshetError) -> Part {
    let whole = Response<Data>(head: head, value: body).accepted
    return try decoding.value(of: try whole.unwrapped(at: path)).value
  }
}
