import Foundation

/// A model of a whole response body of which one part, the payload, is what was asked for.
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
/// A payload that may be missing or `null` is optional in the model; one that is not makes its
/// absence an error.
public protocol Envelope: Decodable, Sendable {
  /// What was asked for.
  associatedtype Payload: Sendable
  /// What was asked for.
  var payload: Payload { get }
}

extension Response {
  /// The envelope that the value came in, with what stands beside it.
  ///
  /// - Parameter type: The envelope that the pipeline has unwrapped.
  /// - Returns: The envelope, or `nil` if the value came in none or in another.
  public func envelope<Wrapper: Envelope>(as type: Wrapper.Type) -> Wrapper? {
    record.envelope as? Wrapper
  }

  /// Decodes another part of the body that the value came in, such as `meta` beside `data`.
  ///
  /// It parses the raw body when it is called, where it is called.
  ///
  /// - Parameters:
  ///   - path: Where the part stands, counted from the whole body.
  ///   - type: What it is.
  ///   - decoding: How it is decoded; JSON by default.
  /// - Returns: The part.
  /// - Throws: ``FreshetError/decoding(_:head:body:)`` if it is missing or something else. A part
  ///   of an optional type may be missing.
  public func sibling<Part: Decodable & Sendable>(
    at path: PayloadPath,
    as type: Part.Type,
    with decoding: Decoding<Part> = .json
  ) throws(FreshetError) -> Part {
    let whole = Response<Data>(head: head, value: body).accepted
    return try decoding.decode(try whole.unwrapped(at: path, absent: .deferred)).value
  }
}
