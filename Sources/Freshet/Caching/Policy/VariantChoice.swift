import Foundation

/// Which of several stored responses answers a request (RFC 9111 section 4.1).
///
/// Responses are offered one after the other, as a store comes by them. An error answers unless a copy
/// is newer; the copy is then beside it.
struct VariantChoice<Candidate: VariantCandidate> {
  private var copy: Candidate?
  private var error: Candidate?

  /// Takes one that matches the request into account.
  mutating func offer(_ candidate: Candidate) {
    if candidate.isRefusal {
      error = Self.better(error, candidate)
    } else {
      copy = Self.better(copy, candidate)
    }
  }

  /// The one that answers; `nil` if there is none.
  var best: Candidate? {
    guard let error else { return copy }
    guard let copy, copy.isNewer(than: error) else { return error }
    return copy
  }

  /// The copy beside the error that answers; `nil` if a copy answers, or there is none.
  var beside: Candidate? {
    best?.isRefusal == true ? copy : nil
  }

  /// Those with a `Vary` come before those without, then the one with the newest `Date`, then the one
  /// received last.
  private static func better(_ first: Candidate?, _ second: Candidate) -> Candidate {
    guard let first else { return second }
    return first.variantRank < second.variantRank ? second : first
  }
}

/// A stored response, as far as it is chosen by.
protocol VariantCandidate {
  /// Whether it is an error, see ``StoredResponse/isRefusal``.
  var isRefusal: Bool { get }
  var variantRank: VariantRank { get }
  /// Whether both the server and this machine say that it is newer.
  func isNewer(than other: Self) -> Bool
}

/// The rank of a response among those that match.
struct VariantRank: Comparable {
  let hasVary: Bool
  /// Its `Date`.
  let date: TimeInterval
  /// When it was received.
  let received: TimeInterval

  static func < (left: VariantRank, right: VariantRank) -> Bool {
    (left.hasVary ? 1 : 0, left.date, left.received)
      < (right.hasVary ? 1 : 0, right.date, right.received)
  }
}

extension StoredResponse: VariantCandidate {
  var variantRank: VariantRank {
    VariantRank(
      hasVary: !varying.fields.isEmpty,
      date: record.date.timeIntervalSinceReferenceDate,
      received: responseTime.timeIntervalSinceReferenceDate
    )
  }
}

extension VariantChoice<StoredResponse> {
  /// The one of several that answers a request with these header fields.
  static func best(of stored: [StoredResponse], for headers: HTTPHeaders) -> StoredResponse? {
    var choice = VariantChoice()
    for response in stored where !response.record.isUnmatchable && response.varying.match(headers) {
      choice.offer(response)
    }
    return choice.best
  }
}
