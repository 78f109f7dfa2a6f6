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
      choice.offer(variant, variant.varying.fit(headers, in: variant.head.head.languages))
    }
    return choice.answer
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
    if new.isRefusal, neighbours(of: new).contains(where: { outranks($0, new) }) {
      return .late(.older)
    }
    let others = variants.filter { $0.id != new.id }.sorted { $0.stored > $1.stored }
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
    let latest = max(new.head.responseTime, time).addingTimeInterval(CacheRecord.clockTolerance)
    guard stored.head.responseTime > latest else { return false }
    // A monotonic clock that is ahead, too, orders nothing.
    let isOrdered = stored.head.knownSince?.isAhead(of: .now) == false
    return !(isOrdered && stored.compared.isAskedAfter(new.compared))
  }

  private func outranks(_ stored: SharedVariant, _ new: SharedVariant) -> Bool {
    !isAhead(stored, of: new) && stored.compared.outranks(new.compared)
  }

  /// The errors that a copy makes obsolete.
  private func errors(endedBy new: SharedVariant) -> [SharedVariant] {
    neighbours(of: new)
      .filter { error in
        let isReplaced = isAhead(error, of: new) && !new.compared.record.isOutdated
        return error.compared.isEnded(by: new.compared) || error.isRefusal && isReplaced
      }
  }

  /// The errors for the same requests as a copy, or the copies for those of an error.
  private func neighbours(of new: SharedVariant) -> [SharedVariant] {
    variants.filter { $0.isRefusal != new.isRefusal && $0.varying.agrees(with: new.varying) }
  }
}
