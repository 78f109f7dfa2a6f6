/// The variants that are stored under a key, as a store that several processes share reads them.
package struct SharedEntry: Sendable {
  /// The variants, in no particular order.
  package let variants: [SharedVariant]

  /// The largest number of variants of a key, the same as in memory and on disk.
  private static let variantLimit = 32

  package init(_ variants: [SharedVariant]) {
    self.variants = variants
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
    if replaced?.compared.outranks(new.compared) == true { return .late(.older) }
    let neighbours = neighbours(of: new)
    if new.isRefusal, neighbours.contains(where: { $0.compared.outranks(new.compared) }) {
      return .late(.older)
    }
    let others = variants.filter { $0.id != new.id }.sorted { $0.stored > $1.stored }
    let surplus = others.dropFirst(Self.variantLimit - 1)
    let ended = neighbours.filter { $0.compared.isEnded(by: new.compared) }
    return .written(removing: Array(Set((surplus + ended).map(\.id))))
  }

  /// Returns the decision about a variant that is to get a new head, after a validation.
  package func refreshing(_ new: SharedVariant) -> Decision {
    let stored = variants.first { $0.id == new.id }
    if stored?.compared.outranks(new.compared) == true { return .late(.older) }
    guard let stored else { return .late(.bodyRemoved) }
    guard stored.digest == new.digest else { return .late(.bodyReplaced) }
    return .written(
      removing: neighbours(of: new).filter { $0.compared.isEnded(by: new.compared) }.map(\.id)
    )
  }

  /// The errors for the same requests as a copy, or the copies for those of an error.
  private func neighbours(of new: SharedVariant) -> [SharedVariant] {
    variants.filter { $0.isRefusal != new.isRefusal && $0.varying.agrees(with: new.varying) }
  }
}
