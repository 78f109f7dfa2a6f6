/// The age of a stored response, its lifetime, and the rule that decided it (RFC 9111 section 4.2).
public struct CacheFreshness: Sendable, Hashable {
  /// The seconds since the origin made or validated it (section 4.2.3), never negative; infinite if
  /// the age is unknown.
  public let age: Double
  /// The age in seconds at which it becomes stale; infinite for ``ExpiryPolicy/never``.
  public let lifetime: Double
  /// The rule that decided the lifetime.
  public let rule: Rule

  /// A Boolean value that indicates whether its lifetime is greater than its age (section 4.2).
  public var isFresh: Bool { age < lifetime }

  /// The seconds since it became stale; negative while it is fresh.
  public var staleness: Double { age - lifetime }

  /// The rules of section 4.2.1, of which the first that applies decides.
  public enum Rule: String, Sendable, Hashable {
    /// The response's `max-age`.
    case maxAge = "max-age"
    /// The response's `max-age` with `immutable` (RFC 8246).
    case immutable
    /// The response's `Expires`.
    case expires = "Expires"
    /// A tenth of the time since `Last-Modified` (section 4.2.2).
    case heuristic
    /// The client's ``ExpiryPolicy``.
    case override
    /// The response came from another URL than the requested one: only the redirects in between,
    /// which are not stored, could define how long it answers for this one (section 4).
    case redirected
    /// The clock was set back to before the response was received, so that its age is unknown.
    case clock
    /// No rule: it is stale from the start.
    case none
  }
}

extension CacheFreshness: CustomStringConvertible {
  /// A part of a sentence, such as `age 340 s, over 300 s (max-age)`.
  public var description: String {
    let limit =
      switch (lifetime.isFinite, isFresh) {
      case (false, _): "no limit"
      case (_, true): "within \(Self.seconds(lifetime))"
      case (_, false): "over \(Self.seconds(lifetime))"
      }
    let shownAge = age.isFinite ? Self.seconds(age) : "unknown"
    return "age \(shownAge), \(limit) (\(rule.rawValue))"
  }

  private static func seconds(_ value: Double) -> String {
    "\(Int64(min(value, Double(DeltaSeconds.infinite)))) s"
  }
}
