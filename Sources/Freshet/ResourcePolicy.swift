/// How a resource is fetched: the choices of the preset chain.
///
/// ```swift
/// client.resource(at: url, expiry: .after(.hours(2)))
/// client.resource(at: url, policy: ResourcePolicy(expiry: .never, network: .forbidden))
/// client.resource(at: url) { $0.stale = .beforeValidation }
/// ```
///
/// The first and the last begin with the client's policy, the second with the default one.
public struct ResourcePolicy: Sendable, Hashable {
  /// When a stored copy must be validated; as the server says, by default.
  public var expiry: ExpiryPolicy = .http
  /// How it is validated; by a conditional GET, by default.
  public var revalidation: Revalidation = .conditional
  /// Whether a stale copy is shown while it is being validated; when the server allows it, by default.
  public var stale: StaleAnnouncement = .whenAllowed
  /// How long past its lifetime a copy is of use; by default it is validated at once, and stands in for
  /// a failure for ever.
  public var staleLimits = StaleLimits()
  /// Whether the network is asked; after the stores, by default.
  public var network: Network = .allowed
  /// Where what was downloaded is kept; in all stores, by default.
  public var persistence: Persistence = .everywhere
  /// How often a transfer that breaks is taken up where it broke, within one fetch; 3 by default.
  ///
  /// It needs a strong validator, see ``Transfer``. With 0, and after the last
  /// attempt, the next fetch takes it up if the client has a disk store.
  public var resumptions = 3
  /// What the body must be, or `nil`, the default, for anything.
  public var expected: Digest?
  /// Whether progress carries what has arrived; fetches that differ in it share no transfer.
  package var showsArrival = false

  /// Makes the default policy, changed by a closure.
  public init(_ configure: (inout ResourcePolicy) -> Void) {
    configure(&self)
  }

  /// Makes the default policy with other choices.
  ///
  /// - Parameters:
  ///   - expiry: When a stored copy must be validated; as the server says, by default.
  ///   - revalidation: How it is validated; by a conditional GET, by default.
  ///   - stale: Whether a stale copy is shown while it is being validated.
  ///   - staleLimits: How long past its lifetime a copy is of use.
  ///   - network: Whether the network is asked; after the stores, by default.
  ///   - persistence: Where what was downloaded is kept; in all stores, by default.
  ///   - resumptions: How often a transfer that breaks is taken up; 3 by default.
  ///   - expected: What the body must be, or `nil`, the default, for anything.
  public init(
    expiry: ExpiryPolicy = .http,
    revalidation: Revalidation = .conditional,
    stale: StaleAnnouncement = .whenAllowed,
    staleLimits: StaleLimits = StaleLimits(),
    network: Network = .allowed,
    persistence: Persistence = .everywhere,
    resumptions: Int = 3,
    expected: Digest? = nil
  ) {
    self.expiry = expiry
    self.revalidation = revalidation
    self.stale = stale
    self.staleLimits = staleLimits
    self.network = network
    self.persistence = persistence
    self.resumptions = resumptions
    self.expected = expected
  }
}

extension ResourcePolicy {
  /// Whether a stale copy is shown while it is being validated.
  ///
  /// A copy whose response forbids stale use is never shown. With the first three the final value follows
  /// always: `value` waits for it, `first` takes the stale copy and ends the validation.
  public enum StaleAnnouncement: Sendable, Hashable {
    /// Only the final value is shown.
    case withheld
    /// The stale copy first while the response's `stale-while-revalidate` allows it (RFC 5861
    /// section 3); a seed always, which is there to be shown at once. Then the final value.
    case whenAllowed
    /// The stale copy first, then the final value.
    case beforeValidation
    /// The stale copy is the final value wherever ``whenAllowed`` would show it, and it is refreshed
    /// behind that value (RFC 5861 section 3), see ``Refreshes``.
    ///
    /// ``Client/activity`` sees the refresh, and the next fetch what it has brought. It ends with the
    /// client. In a chain of stages it is the same as ``whenAllowed``.
    case servedWhileRefreshing
  }

  /// Whether the network is asked.
  public enum Network: Sendable, Hashable {
    /// Stores first, then the network.
    case allowed
    /// Stores only: what they have is served whatever its age.
    ///
    /// A request with `only-if-cached` asks for less: it gets what is fresh, or what it accepts stale.
    case forbidden
    /// The network only: nothing is looked up, the body is downloaded and kept. A failure leaves what
    /// is stored as it was, and is an error.
    case required
  }

  /// Where what was downloaded is kept, as far as its headers allow that.
  public enum Persistence: Sendable, Hashable {
    /// In all stores.
    case everywhere
    /// In memory only: nothing of it stays on the disk.
    case memoryOnly
    /// Nowhere. What is stored is still looked up, and stays as it is.
    case nowhere
  }
}
