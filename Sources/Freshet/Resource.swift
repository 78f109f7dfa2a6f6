public import Foundation

/// A response with a body, and the story of how it came about.
///
/// ```swift
/// let logo = try await client.resource(at: url).value
/// print(logo.origin, logo.freshness)   // disk revalidated
/// print(logo.explanation)              // memory: miss; disk: hit, age 340 s; …
/// ```
public struct Resource: Sendable {
  /// The response as it was received or stored.
  public var response: StoredResponse { content.fields.response }
  /// Where the body came from.
  public var origin: Origin { content.fields.origin }
  /// How up to date it is.
  public var freshness: Freshness { content.fields.freshness }
  /// Whether it is the last value of its pipeline.
  public var isFinal: Bool { content.fields.isFinal }
  /// The decisions that led to it, in order.
  public internal(set) var explanation: Explanation {
    get { content.fields.explanation }
    set { fields.explanation = newValue }
  }

  private var content: Content

  init(
    context: FetchContext,
    response: StoredResponse,
    origin: Origin,
    freshness: Freshness,
    isFinal: Bool,
    explanation: Explanation,
    age: Double? = nil,
    transfer: TransferRecord? = nil
  ) {
    content = Content(
      Fields(
        context: context,
        response: response,
        origin: origin,
        freshness: freshness,
        isFinal: isFinal,
        explanation: explanation,
        age: age,
        transfer: transfer
      )
    )
  }

  /// What was asked for.
  public var request: Request { context.request }
  /// What the transfer took, when there was one.
  public var metrics: TransferMetrics? { transfer?.metrics }
  /// The status code.
  public var status: HTTPStatus { response.head.status }
  /// The header fields; what a store answered without a validation has its present `Age`
  /// (RFC 9111 section 4), which the stored ``response`` has not.
  public var headers: HTTPHeaders {
    guard let age else { return response.head.headers }
    var headers = response.head.headers
    headers[.age] = String(Int64(min(age, Double(DeltaSeconds.infinite))))
    return headers
  }
  /// The body, in memory or in a file.
  public var body: ResourceBody { response.body }

  /// The whole body in memory.
  ///
  /// - Parameter limit: The largest size that is read, in bytes; 64 MiB by default.
  /// - Returns: The bytes, decoded as the server's `Content-Encoding` says.
  /// - Throws: ``FreshetError/limitExceeded(_:url:)`` for a larger body; read ``ResourceBody/chunks``
  ///   or ``ResourceBody/fileURL`` instead. ``FreshetError/file(_:path:)`` if reading fails.
  public func data(limit: Int = 64 << 20) throws(FreshetError) -> Data {
    try body.data(limit: limit)
  }

  /// The body's SHA-256; computed from the bytes unless it is known from the download or a store.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if reading fails.
  public func sha256() throws(FreshetError) -> SHA256Digest {
    try response.sha256()
  }
}

// MARK: - Content

extension Resource {
  private struct Fields: Sendable {
    var context: FetchContext
    let response: StoredResponse
    let origin: Origin
    let freshness: Freshness
    let isFinal: Bool
    var explanation: Explanation
    let age: Double?
    let transfer: TransferRecord?
    var outage: Outage?
  }

  /// The fields behind one reference: a resource goes from hand to hand, and is hardly ever changed.
  private final class Content: Sendable {
    let fields: Fields

    init(_ fields: Fields) {
      self.fields = fields
    }
  }

  private var fields: Fields {
    get { content.fields }
    set { content = Content(newValue) }
  }

  var context: FetchContext {
    get { content.fields.context }
    set { fields.context = newValue }
  }
  /// The age in seconds with which a store answered without a validation.
  var age: Double? { content.fields.age }
  var transfer: TransferRecord? { content.fields.transfer }
  /// The failure in whose place a stale copy stands.
  var outage: Outage? {
    get { content.fields.outage }
    set { fields.outage = newValue }
  }
}

extension Resource {
  /// Where a body came from.
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// Shipped with the app.
    case seed
    /// A ``MemoryStore``.
    case memory
    /// A ``DiskStore``.
    case disk
    /// The transport.
    case network
  }

  /// How up to date a resource is.
  public enum Freshness: String, Sendable, Hashable, CaseIterable {
    /// Within its lifetime, or just downloaded.
    case fresh
    /// Past its lifetime and not validated.
    case stale
    /// The origin has just said that it is still right.
    case revalidated
  }
}
