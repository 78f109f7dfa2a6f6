/// The name of a stage, for editing chains, such as `.download` or `.persist(in: .disk)`.
///
/// A name without a store refers to the stages of all stores.
public struct StageName: Sendable, Hashable {
  let word: String
  let store: Resource.Source?

  /// Creates the name of a custom stage.
  public init(_ word: some StringProtocol) {
    self.word = String(word)
    store = nil
  }

  init(_ word: String, _ store: Resource.Source) {
    self.word = word
    self.store = store
  }

  /// Returns whether this name refers to a stage with another name.
  func covers(_ other: StageName) -> Bool {
    word == other.word && (store == nil || store == other.store)
  }
}

extension StageName: ExpressibleByStringLiteral, CustomStringConvertible {
  /// Creates the name of a custom stage.
  public init(stringLiteral word: String) {
    self.init(word)
  }

  /// The name as it would be written in code, such as `persist(in: disk)`.
  public var description: String { store.map { "\(word)(in: \($0.rawValue))" } ?? word }
}

extension StageName {
  /// All lookups in stores.
  public static let lookup = StageName("lookup")
  /// The decision about freshness.
  public static let checkExpiry = StageName("checkExpiry")
  /// The announcement of a stale copy before its revalidation.
  public static let announceStale = StageName("announceStale")
  /// The stage after which equal fetches are shared.
  public static let coalesce = StageName("coalesce")
  /// The revalidation of an expired copy.
  public static let revalidate = StageName("revalidate")
  /// The download.
  public static let download = StageName("download")
  /// All comparisons with an expected digest.
  public static let verify = StageName("verify")
  /// All writes to stores.
  public static let persist = StageName("persist")

  /// The lookup in one store.
  public static func lookup(in store: Resource.Source) -> StageName { StageName("lookup", store) }

  /// The writes to one store.
  public static func persist(in store: Resource.Source) -> StageName { StageName("persist", store) }
}
