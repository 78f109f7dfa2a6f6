package import FreshetEssentials

/// The variants that are stored under a key, as a store that several processes share reads them.
package struct SharedEntry: Sendable {
  /// The variants, in no particular order.
  package let variants: [SharedVariant]
  /// The current time by the clock of the engine.
  private let time: Date

  /// The largest number of variants of a key, the same as in memory and on disk.
  private static let variantLimit = 32

  /// Makes the entry.
  ///
  /// - Parameters:
  ///   - variants: The variants.
  ///   - time: The current time by the clock of the engine; by default, no variant is ahead of it.
  package init(_ variants: [SharedVariant], at time: Date = .distantFuture) {
    self.variants = variants
    self.time = time
  }

  /// Returns the variant that answers a request with these header fields, and the copy beside it if it
  /// is an error.
  package func choice(
    for headers: HTTPHeaders
  ) -> (best: SharedVariant, beside: SharedVariant?)? {
    var choice = VariantChoice<SharedVariant>()
    for variant in variants {
      let response = variant.response
      choice.offer(response, at: variant, stored: variant.storedTime, response.fit(headers))
    }
    return choice.answer.map { ($0.best.place, $0.beside?.place) }
  }

  /// A decision about a write.
  package enum Decision: Sendable {
    /// It is not written, for this reason.
    case late(StoreFailure.Reason)
    /// It is written, and these variants are removed.
    case written(removing: [String])
  }

  /// Returns the decision about a variant that is to be stored with a new body.
  package func inserting(_ new: SharedVariant) -> Decision {
    let replaced = variants.first { $0.id == new.id }
    if let replaced, outranks(replaced, new) { return .late(.older) }
    if new.response.isRefusal, neighbours(of: new).contains(where: { outranks($0, new) }) {
      return .late(.older)
    }
    let others = variants.filter { $0.id != new.id }.sorted { $0.storedTime > $1.storedTime }
    let surplus = others.dropFirst(Self.variantLimit - 1)
    return .written(removing: Array(Set((surplus + errors(endedBy: new)).map(\.id))))
  }

  /// Returns the decision about a variant that is to get a new head, after a validation.
  package func refreshing(_ new: SharedVariant) -> Decision {
    let stored = variants.first { $0.id == new.id }
    guard let stored else { return .late(.bodyRemoved) }
    if outranks(stored, new) { return .late(.older) }
    guard stored.digest == new.digest else { return .late(.bodyReplaced) }
    return .written(removing: errors(endedBy: new).map(\.id))
  }

  /// Returns a Boolean value that indicates whether a stored variant seems to be from the future,
  /// although it was not requested after a new one: the clock of its process was ahead.
  ///
  /// Both the clock of the new one's process and that of the engine have to say so: a process whose
  /// clock is behind does not replace newer responses.
  package func isAhead(_ stored: SharedVariant, of new: SharedVariant) -> Bool {
    let latest = max(new.response.responseTime, time).addingTimeInterval(CacheRecord.clockTolerance)
    guard stored.response.responseTime > latest else { return false }
    // A monotonic clock that is ahead, too, orders nothing.
    let isOrdered = stored.response.knownSince?.isAhead(of: .now) == false
    return !(isOrdered && stored.response.isAskedAfter(new.response))
  }

  private func outranks(_ stored: SharedVariant, _ new: SharedVariant) -> Bool {
    !isAhead(stored, of: new) && stored.response.outranks(new.response)
  }

  /// The errors that a copy makes obsolete.
  private func errors(endedBy new: SharedVariant) -> [SharedVariant] {
    neighbours(of: new)
      .filter { error in
        let isReplaced = isAhead(error, of: new) && !new.response.record.isOutdated
        return error.response.isEnded(by: new.response) || error.response.isRefusal && isReplaced
      }
  }

  /// The errors for the same requests as a copy, or the copies for those of an error.
  private func neighbours(of new: SharedVariant) -> [SharedVariant] {
    variants.filter {
      $0.response.isRefusal != new.response.isRefusal
        && $0.response.varying.agrees(with: new.response.varying)
    }
  }
}
