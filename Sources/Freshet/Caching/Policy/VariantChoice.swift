import FreshetEssentials

/// The choice of the stored response that answers a request, out of several (RFC 9111 section 4.1).
///
/// Responses are offered one after the other. An error answers unless a copy is newer; the copy is
/// then beside it.
struct VariantChoice<Candidate: VariantCandidate> {
  private var copies = Best()
  private var errors = Best()

  /// Considers a response that fits the request.
  mutating func offer(_ candidate: Candidate, _ fit: VaryingFields.Fit = .exact) {
    if fit == .none { return }
    if candidate.isRefusal {
      errors.offer(candidate, fit)
    } else {
      copies.offer(candidate, fit)
    }
  }

  /// The response that answers, and the copy beside it if it is an error; `nil` if there is none.
  var answer: (best: Candidate, beside: Candidate?)? {
    guard let error = errors.candidate else { return copies.candidate.map { ($0, nil) } }
    guard let copy = copies.candidate else { return (error, nil) }
    return copy.isNewer(than: error) ? (copy, nil) : (error, copy)
  }

  /// The best of the copies, or of the errors.
  ///
  /// Responses that were selected by the same fields come before those in a preferred language,
  /// those with a `Vary` before those without, then the one with the newest `Date`, then the one
  /// received last.
  private struct Best {
    var candidate: Candidate?
    private var fit = VaryingFields.Fit.none

    mutating func offer(_ other: Candidate, _ otherFit: VaryingFields.Fit) {
      guard let candidate else {
        (self.candidate, fit) = (other, otherFit)
        return
      }
      let isBetter =
        fit == otherFit ? candidate.variantRank < other.variantRank : otherFit == .exact
      if isBetter { (self.candidate, fit) = (other, otherFit) }
    }
  }
}

/// The properties of a stored response by which it is chosen.
protocol VariantCandidate {
  /// A Boolean value that indicates whether it is an error, see ``StoredResponse/isRefusal``.
  var isRefusal: Bool { get }
  var variantRank: VariantRank { get }
  /// Returns a Boolean value that indicates whether it is newer by both the server's and this
  /// machine's clock.
  func isNewer(than other: Self) -> Bool
}

/// The rank of a response among those that match.
struct VariantRank: Comparable {
  let hasVary: Bool
  /// Its `Date`.
  let date: TimeInterval
  /// The time when it was received.
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
  /// Returns the response that answers a request with these header fields.
  static func best(of stored: [StoredResponse], for headers: HTTPHeaders) -> StoredResponse? {
    var choice = VariantChoice()
    for response in stored where !response.record.isUnmatchable {
      choice.offer(response, response.fit(headers))
    }
    return choice.answer?.best
  }
}
