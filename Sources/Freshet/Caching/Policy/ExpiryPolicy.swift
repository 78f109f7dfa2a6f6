/// The time for which a stored response is fresh.
///
/// Every policy but ``http`` replaces all freshness information of the response: `max-age`,
/// `Expires`, `no-cache`, `must-revalidate` and the rest. The request's directives still count, and
/// a response with `no-store` is still not stored.
public enum ExpiryPolicy: Sendable, Hashable {
  /// The response's own freshness information, by the rules of HTTP (RFC 9111).
  ///
  /// A response without such information is fresh for a tenth of the time since it was modified, at
  /// most a day, and not at all if its URL has a query.
  case http
  /// Fresh for this long after it was received or validated last; 0 and less are ``always``.
  case after(Duration)
  /// A stored response never expires: it is used as long as it is stored.
  case never
  /// A stored response is always expired: it is validated each time.
  case always
}
