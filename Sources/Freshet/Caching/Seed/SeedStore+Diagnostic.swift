extension SeedStore {
  /// A problem with seeds; each is reported once.
  public enum Diagnostic: Sendable, Hashable {
    /// The folder's manifest cannot be used: there are no seeds.
    case unusable(reason: String)
    /// A seed counts as missing.
    case refused(file: String, reason: String)
  }
}

extension SeedStore.Diagnostic: CustomStringConvertible {
  /// The problem, as one sentence.
  public var description: String { Printable.line(sentence) }

  private var sentence: String {
    switch self {
    case .unusable(let reason): "The seeds cannot be used, because \(reason)."
    case .refused(let file, let reason): "The seed \(file) is not used, because \(reason)."
    }
  }
}
