/// How a resource is fetched: the choices of the preset chain.
///
/// ```swift
/// client.resource(at: url, policy: ResourcePolicy { $0.expiry = .after(.seconds(7200)) })
/// ```
public struct ResourcePolicy: Sendable, Hashable {
  /// When a stored copy must be validated; as the server says, by default.
  public var expiry: ExpiryPolicy = .http
  /// How it is validated; by a conditional GET, by default.
  public var revalidation: Revalidation = .conditional
  /// Whether a stale copy is shown while it is being validated; it is not, by default.
  public var stale: StaleAnnouncement = .withheld
  /// Whether the network may be asked; it may, by default.
  public var network: Network = .allowed
  /// What the body must be, or `nil`, the default, for anything.
  public var expected: Digest?

  /// Makes the default policy, changed by a closure.
  public init(_ configure: (inout ResourcePolicy) -> Void = { _ in }) {
    configure(&self)
  }
}

extension ResourcePolicy {
  /// Whether a stale copy is shown while it is being validated.
  public enum StaleAnnouncement: Sendable, Hashable {
    /// Only the final value is shown.
    case withheld
    /// The stale copy first, then the final value.
    case beforeValidation
  }

  /// Whether the network may be asked.
  public enum Network: Sendable, Hashable {
    /// Stores first, then the network.
    case allowed
    /// Stores only: what they have is served whatever its age.
    case forbidden
  }
}
