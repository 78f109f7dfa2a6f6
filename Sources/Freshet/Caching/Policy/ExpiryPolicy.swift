/// How long a stored response counts as fresh.
///
/// Anything but ``http`` takes the place of all that the response says about its freshness:
/// `max-age`, `Expires`, `no-cache`, `must-revalidate` and the rest. What the request says still counts,
/// and `no-store` still means that nothing is kept.
public enum ExpiryPolicy: Sendable, Hashable {
  /// As the response says, by the rules of HTTP (RFC 9111).
  ///
  /// A response that says nothing is fresh for a tenth of the time since it was modified, at most a
  /// day, and not at all if its URL has a query.
  case http
  /// For this long after it was received or validated last; 0 and less are ``always``.
  case after(Duration)
  /// A stored response never expires: it is used as long as it is stored.
  case never
  /// A stored response is always expired: it is validated each time.
  case always
}
