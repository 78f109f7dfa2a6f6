/// The name of a stage, by which chains are edited: `.download`, `.persist(in: .disk)`.
///
/// A name without a store stands for the stages of all stores.
public struct StageName: Sendable, Hashable {
  let word: String
  let store: Resource.Origin?

  /// Makes the name of a stage of one's own.
  public init(_ word: some StringProtocol) {
    self.word = String(word)
    store = nil
  }

  init(_ word: String, _ store: Resource.Origin) {
    self.word = word
    self.store = store
  }

  /// Whether this name stands for a stage of another name.
  func covers(_ other: StageName) -> Bool {
    word == other.word && (store == nil || store == other.store)
  }
}

extension StageName: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Makes the name of a stage of one's own.
  public init(stringLiteral word: String) {
    self.init(word)
  }

  /// The name as it is written: `persist(in: disk)`.
  public var description: String { store.map { "\(word)(in: \($0.rawValue))" } ?? word }
}

extension StageName {
  /// All lookups.
  public static let lookup = StageName("lookup")
  /// The decision about freshness.
  public static let checkExpiry = StageName("checkExpiry")
  /// The stale copy that is shown before its validation.
  public static let announceStale = StageName("announceStale")
  /// The stage behind which fetches of the same thing are one.
  public static let coalesce = StageName("coalesce")
  /// The validation.
  public static let revalidate = StageName("revalidate")
  /// The download.
  public static let download = StageName("download")
  /// All comparisons with an expected digest.
  public static let verify = StageName("verify")
  /// All writes into stores.
  public static let persist = StageName("persist")

  /// The lookup in one store.
  public static func lookup(in store: Resource.Origin) -> StageName { StageName("lookup", store) }

  /// The writes into one store.
  public static func persist(in store: Resource.Origin) -> StageName { StageName("persist", store) }
}
