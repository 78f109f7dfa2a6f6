import Foundation

/// Which of several stored responses answers a request (RFC 9111 section 4.1).
enum VariantChoice {
  /// The one that matches the request's headers and, of several, those with a `Vary` before those
  /// without, then the one with the newest `Date`, then the one received last.
  static func best(of stored: [StoredResponse], for headers: HTTPHeaders) -> StoredResponse? {
    stored
      .filter { !$0.record.isUnmatchable && $0.varying.match(headers) }
      .max { left, right in rank(left) < rank(right) }
  }

  /// Whether the first of two that match comes before the second.
  static func isBetter(_ first: StoredResponse, than second: StoredResponse) -> Bool {
    rank(second) < rank(first)
  }

  private static func rank(_ response: StoredResponse) -> (Int, Double, Double) {
    (
      response.varying.fields.isEmpty ? 0 : 1,
      response.record.date.timeIntervalSince1970,
      response.responseTime.timeIntervalSince1970
    )
  }
}
