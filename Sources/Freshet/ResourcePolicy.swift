/// The options of a fetch of a resource.
///
/// ```swift
/// client.resource(at: url, expiry: .after(.hours(2)))
/// client.resource(at: url, policy: ResourcePolicy(expiry: .never, network: .forbidden))
/// client.resource(at: url) { $0.stale = .beforeValidation }
/// ```
///
/// The first and the last begin with the client's policy, the second with the default one.
public struct ResourcePolicy: Sendable, Hashable {
  /// The expiry of stored copies, after which they are validated; by default as the server specifies.
  public var expiry: ExpiryPolicy = .http
  /// The method of validation; a conditional GET by default.
  public var revalidation: Revalidation = .conditional
  /// The handling of a stale copy while it is being validated; it is announced if the server allows
  /// it, by default.
  public var stale: StaleAnnouncement = .whenAllowed
  /// The limits on the use of an expired copy.
  ///
  /// By default it is revalidated immediately, and replaces a failed response without limit.
  public var staleLimits = StaleLimits()
  /// The use of the network; after the stores, by default.
  public var network: Network = .allowed
  /// The stores in which a downloaded response is stored; all of them by default.
  public var persistence: Persistence = .everywhere
  /// The use of the client's seeds; they are allowed by default.
  public var seeds: Seeds = .allowed
  /// The number of times that a broken transfer is resumed within one fetch; 3 by default.
  ///
  /// It requires a strong validator, see ``Transfer``. With 0, and after the last attempt, the next
  /// fetch resumes it if the client has a disk store.
  public var resumptions = 3
  /// The expected digest of the body, or `nil`, the default, for any body.
  public var expected: Checksum?
  /// The media types that the body may have, see ``ContentTypes``; any by default.
  ///
  /// A response of another type, such as the page of a captive portal, fails with
  /// ``FreshetError/decoding(_:head:body:)`` before its body arrives, unless a stale copy may replace it.
  /// It is not stored, and a stored copy of another type is downloaded again. An empty body has no type
  /// to refuse, and error responses fail by their status.
  public var contentTypes = ContentTypes.any
  /// A Boolean value that indicates whether progress contains the received bytes; fetches with
  /// different values share no transfer.
  package var showsArrival = false

  /// Makes the default policy, changed by a closure.
  public init(_ configure: (inout ResourcePolicy) -> Void) {
    configure(&self)
  }

  /// Makes the default policy with other choices.
  ///
  /// - Parameters:
  ///   - expiry: The rule that decides about the validation of a copy; that of the server by default.
  ///   - revalidation: The kind of validation; a conditional GET by default.
  ///   - stale: The delivery of a stale copy before its validation.
  ///   - staleLimits: The limits for the use of an expired copy.
  ///   - network: The use of the network; after the stores by default.
  ///   - persistence: The stores for downloads; all by default.
  ///   - seeds: The use of the client's seeds; allowed by default.
  ///   - resumptions: The number of resumptions of a broken transfer; 3 by default.
  ///   - expected: The expected digest of the body; `nil`, the default, accepts any.
  public init(
    expiry: ExpiryPolicy = .http,
    revalidation: Revalidation = .conditional,
    stale: StaleAnnouncement = .whenAllowed,
    staleLimits: StaleLimits = StaleLimits(),
    network: Network = .allowed,
    persistence: Persistence = .everywhere,
    seeds: Seeds = .allowed,
    resumptions: Int = 3,
    expected: Checksum? = nil
  ) {
    self.expiry = expiry
    self.revalidation = revalidation
    self.stale = stale
    self.staleLimits = staleLimits
    self.network = network
    self.persistence = persistence
    self.seeds = seeds
    self.resumptions = resumptions
    self.expected = expected
  }
}

extension ResourcePolicy {
  /// The handling of a stale copy while it is being validated.
  ///
  /// A copy whose response forbids stale use is never shown. With the first three the final value
  /// always follows: `value` waits for it, `first` returns the stale copy and cancels the validation.
  public enum StaleAnnouncement: Sendable, Hashable {
    /// Only the final value is shown.
    case withheld
    /// The stale copy first if the response's `stale-while-revalidate` allows it (RFC 5861 section
    /// 3), or if it is a seed, and then the final value.
    case whenAllowed
    /// The stale copy first, then the final value.
    case beforeValidation
    /// The stale copy as the final value wherever ``whenAllowed`` would show it, and a refresh in
    /// the background (RFC 5861 section 3), see ``Refreshes``.
    ///
    /// The refresh appears in ``Client/activity``, and the next fetch finds its result. It is
    /// cancelled with the client. In a chain of stages it is equivalent to ``whenAllowed``.
    case servedWhileRefreshing
  }

  /// The use of the network.
  public enum Network: Sendable, Hashable {
    /// Stores first, then the network.
    case allowed
    /// Stores only: a stored copy is served whatever its age.
    ///
    /// A request with `only-if-cached` is stricter: it gets a fresh copy, or a stale one that it accepts.
    case forbidden
    /// The network only: nothing is looked up, the body is downloaded and stored.
    ///
    /// A failure is an error, and leaves stored copies unchanged.
    case required
  }

  /// The use of the client's seeds by a fetch.
  public enum Seeds: Sendable, Hashable {
    /// They answer as any other store does.
    case allowed
    /// They are left out, as if the client had none: what the app ships is neither shown nor validated.
    case ignored
  }

  /// The stores in which a downloaded response is stored, if its headers allow that.
  public enum Persistence: Sendable, Hashable {
    /// In all stores.
    case everywhere
    /// In memory only: nothing is stored on disk.
    case memoryOnly
    /// Nowhere; existing copies are still looked up, and stay unchanged.
    case nowhere
  }
}
