/// The decision about a stored response (RFC 9111 section 4).
public enum Reuse: Sendable, Hashable {
  /// It answers the request.
  case fresh(CacheFreshness)
  /// It should be validated first; the uses are those that are allowed without a validation.
  case stale(CacheFreshness, StaleReason, StaleUses)
  /// It cannot answer the request: proceed as if it were not stored.
  case unusable(UnusableReason)
}

extension Reuse {
  /// The reason why a response needs a validation.
  public enum StaleReason: String, Sendable, Hashable {
    /// It is older than its lifetime (section 4.2).
    case expired
    /// Its `no-cache` (section 5.2.2.4).
    case responseNoCache = "the response's no-cache"
    /// The request's `no-cache`, or `Pragma` (sections 5.2.1.4 and 5.4).
    case requestNoCache = "the request's no-cache"
    /// The request's `max-age` (section 5.2.1.1).
    case requestMaxAge = "the request's max-age"
    /// The request's `min-fresh` (section 5.2.1.3).
    case requestMinFresh = "the request's min-fresh"
    /// An error that is newer than the copy has been received (section 4: the most recent response
    /// counts).
    case newerError = "a newer error"
  }

  /// The allowed uses of a response that needs a validation (section 4.2.4).
  public struct StaleUses: OptionSet, Sendable, Hashable {
    /// The uses as bits.
    public let rawValue: UInt8

    /// Makes uses from bits.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// It answers the request without a validation, as the request's `max-stale` allows.
    public static let asIs = StaleUses(rawValue: 1 << 0)
    /// It answers the request, and is validated at the same time (RFC 5861 section 3).
    public static let whileRevalidating = StaleUses(rawValue: 1 << 1)
    /// It answers the request if the validation fails because of an outage.
    public static let onError = StaleUses(rawValue: 1 << 2)
    /// It may be shown as a stale value, by an app that asks for stale values, and is then
    /// validated.
    public static let announced = StaleUses(rawValue: 1 << 3)
  }

  /// The reason why a stored response cannot answer a request.
  public enum UnusableReason: String, Sendable, Hashable {
    /// Only `GET` and `HEAD` are answered from a cache; requests with other methods are sent
    /// (section 4).
    case method
    /// The request has a body, which is not a part of the key.
    case body
    /// The request has a condition that only the origin can evaluate: of another kind than
    /// `If-None-Match` and `If-Modified-Since`, or for a copy that is not fresh (section 4.3.2).
    case conditional
    /// The request asks for a range.
    case partial
    /// It is a redirect, and the request follows redirects.
    case redirect
    /// The fields that `Vary` names differ, or it contains `*` (section 4.1).
    case vary
  }
}

extension Reuse: CustomStringConvertible {
  /// The decision as a sentence without a full stop, such as `expired: age 340 s, over 300 s
  /// (max-age)`.
  public var description: String {
    switch self {
    case .fresh(let freshness): "fresh: \(freshness)"
    case .stale(let freshness, .expired, _): "expired: \(freshness)"
    case .stale(let freshness, let reason, _):
      "to be validated because of \(reason.rawValue): \(freshness)"
    case .unusable(let reason): "cannot answer this request: \(reason.rawValue)"
    }
  }
}
