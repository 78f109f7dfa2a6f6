import FreshetEssentials

/// The choice of the stored response that answers a request, out of several (RFC 9111 section 4.1).
///
/// Responses are offered one after the other. An error answers unless a copy is newer; the copy is
/// then beside it.
struct VariantChoice<Place> {
  /// A response that fits the request, perhaps without its body, and its place in its store.
  struct Candidate {
    let response: StoredResponse
    let place: Place
    /// The time when it was received or validated last.
    let stored: Date
    let fit: VaryingFields.Fit

    /// Responses that were selected by the same fields come before those in a preferred language,
    /// those with a `Vary` before those without, then the one with the newest `Date`, then the one
    /// received last.
    func isBetter(than other: Candidate) -> Bool {
      fit == other.fit ? other.rank < rank : fit == .exact
    }

    private var rank: (Int, Date, Date) {
      (response.varying.fields.isEmpty ? 0 : 1, response.record.date, stored)
    }
  }

  private var copy: Candidate?
  private var error: Candidate?

  /// Considers a response.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - place: Its place in its store.
  ///   - stored: The time when it was received or validated last; by default that of the response.
  ///   - fit: Its match with the request.
  mutating func offer(
    _ response: StoredResponse,
    at place: Place,
    stored: Date? = nil,
    _ fit: VaryingFields.Fit
  ) {
    if fit == .none { return }
    let candidate = Candidate(
      response: response,
      place: place,
      stored: stored ?? response.responseTime,
      fit: fit
    )
    if response.isRefusal {
      if let error, !candidate.isBetter(than: error) { return }
      error = candidate
    } else {
      if let copy, !candidate.isBetter(than: copy) { return }
      copy = candidate
    }
  }

  /// The response that answers, and the copy beside it if it is an error; `nil` if there is none.
  var answer: (best: Candidate, beside: Candidate?)? {
    guard let error else { return copy.map { ($0, nil) } }
    guard let copy else { return (error, nil) }
    return copy.response.isNewer(than: error.response) ? (copy, nil) : (error, copy)
  }
}

extension VariantChoice<Void> {
  /// Returns the response that answers a request with these header fields.
  static func best(of stored: [StoredResponse], for headers: HTTPHeaders) -> StoredResponse? {
    var choice = VariantChoice()
    for response in stored where !response.record.isUnmatchable {
      choice.offer(response, at: (), response.fit(headers))
    }
    return choice.answer?.best.response
  }
}
