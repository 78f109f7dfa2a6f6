public import FreshetEssentials

/// A response with a body, and the decisions that led to it.
///
/// ```swift
/// let logo = try await client.resource(at: url).value
/// print(logo.source, logo.freshness)   // disk revalidated
/// print(logo.explanation)              // one decision a line: memory: miss, disk: hit, …
/// ```
public struct Resource: Sendable {
  var context: FetchContext
  /// The response as it was received or stored.
  public internal(set) var response: StoredResponse
  /// The source of the body.
  public let source: Source
  /// The freshness of the body: fresh, stale or revalidated.
  public let freshness: Freshness
  /// A Boolean value that indicates whether it is the last value of its pipeline.
  public let isFinal: Bool
  /// The decisions that led to it, in order.
  public internal(set) var explanation: Explanation
  /// The age in seconds of a response that a store answered without a validation.
  var age: Double?
  package internal(set) var transfer: TransferRecord?
  /// The failure that a stale copy replaces.
  var outage: Boxed<FreshetError>?

  /// The failure of the network that a stale copy replaces.
  package var replacedFailure: FreshetError? { outage?.value }

  /// The request of the fetch.
  public var request: Request { context.request }
  /// The measurements of the transfer, if there was one.
  public var metrics: TransferMetrics? { transfer?.metrics }
  /// The status code.
  public var status: HTTPStatus { response.head.status }
  /// The header fields; a response that a store answered without a validation has its current `Age`
  /// (RFC 9111 section 4), which the stored ``response`` lacks.
  public var headers: HTTPHeaders {
    guard let age else { return response.head.headers }
    var headers = response.head.headers
    headers[.age] = String(Int64(min(age, Double(DeltaSeconds.infinite))))
    return headers
  }
  /// The body, in memory or in a file.
  public var body: ResourceBody { response.body }

  /// Returns the whole body in memory.
  ///
  /// - Parameter limit: The largest size that is read, in bytes; 64 MiB by default.
  /// - Returns: The bytes, decoded from the server's `Content-Encoding`.
  /// - Throws: ``FreshetError/limitExceeded(_:url:)`` for a larger body; read ``ResourceBody/chunks``
  ///   or ``ResourceBody/fileURL`` instead. ``FreshetError/file(_:path:)`` if reading fails.
  public func data(limit: Int = 64 << 20) throws(FreshetError) -> Data {
    guard body.length <= limit else {
      throw .limitExceeded(.bodyBytes(Int64(limit)), url: Redaction.shown(response.head.url))
    }
    return try body.data(limit: limit)
  }

  /// Returns the whole body in memory like ``data(limit:)``, but reads that of a file off the caller's actor.
  func dataOffActor(limit: Int = 64 << 20) async throws(FreshetError) -> Data {
    if case .bytes = body.storage { return try data(limit: limit) }
    return try await read(limit)
  }

  @concurrent
  private func read(_ limit: Int) async throws(FreshetError) -> Data {
    try data(limit: limit)
  }

  /// Returns the body's SHA-256, computed from the bytes unless it is known from the download or a store.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if reading fails.
  public func sha256() throws(FreshetError) -> SHA256Checksum {
    try response.sha256()
  }
}

extension Resource {
  /// The source of a body.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// Shipped with the app.
    case seed
    /// A ``MemoryStore``.
    case memory
    /// A ``DiskStore``.
    case disk
    /// A store that several processes share, see ``SharedResourceStore``.
    case shared
    /// The transport.
    case network
  }

  /// The freshness of a resource.
  public enum Freshness: String, Sendable, Hashable, CaseIterable {
    /// Within its lifetime, or just downloaded.
    case fresh
    /// Past its lifetime and not validated.
    case stale
    /// The origin has just confirmed that it is current.
    case revalidated
  }
}
