import FreshetEssentials

/// A removal from a store: responses that were requested before it are not stored.
struct Removal: Sendable, Hashable {
  private let text: String

  static let everything = Removal(text: "everything")

  /// A partition, or a part of it: both are treated as the whole partition.
  static func partition(_ name: String) -> Removal {
    Removal(text: "partition \(CacheKey.prefix(name))")
  }

  /// A key and those that extend it.
  static func key(_ key: CacheKey) -> Removal { Removal(text: "key \(key.text)") }

  static func tag(_ name: String) -> Removal { Removal(text: "tag \(name)") }

  /// Returns the removals that concern a response.
  static func all(of response: StoredResponse) -> [Removal] {
    [.everything, .partition(response.key.partition)] + response.key.roots.map(key)
      + response.tags.map(tag)
  }

  /// Returns a salted digest that represents it in a file, without revealing what was removed.
  func mark(_ salt: String) -> String {
    SHA256Hasher.digest(of: Data("\(salt)$\(text)".utf8)).hex
  }

  /// Returns whether both concern the same responses; names are compared by their bytes, as everywhere.
  static func == (left: Removal, right: Removal) -> Bool { left.text.hasSameBytes(as: right.text) }
}

/// The removals of a store, in the order of events.
struct Removals: Sendable {
  private var instants: [Removal: EventInstant] = [:]
  private var newest: EventInstant?
  /// The newest of the removals that were dropped; it concerns every response.
  private var forgotten: EventInstant?

  mutating func note(_ removal: Removal, at instant: EventInstant = .now) {
    instants[removal] = instant
    newest = instant
    guard instants.count > Invalidations.limit else { return }
    let sorted = instants.sorted { $0.value.uptime > $1.value.uptime }
    forgotten = sorted[Invalidations.limit / 2].value
    instants = Dictionary(
      uniqueKeysWithValues: sorted.prefix(Invalidations.limit / 2).map { ($0.key, $0.value) }
    )
  }

  /// Returns a Boolean value that indicates whether the response was requested before a removal
  /// that concerns it.
  mutating func concern(_ response: StoredResponse, now: EventInstant = .now) -> Bool {
    guard let asked = response.askedAt, let newest else { return false }
    if newest.isAhead(of: now) { repair(now: now) }
    guard asked.mayPrecede(newest, now: now) else { return false }
    if let forgotten, asked.mayPrecede(forgotten, now: now) { return true }
    return Removal.all(of: response)
      .contains { instants[$0].map { asked.mayPrecede($0, now: now) } ?? false }
  }

  /// Replaces instants in the future by the current one.
  private mutating func repair(now: EventInstant) {
    instants = instants.mapValues { $0.isAhead(of: now) ? now : $0 }
    newest = now
    if forgotten?.isAhead(of: now) == true { forgotten = now }
  }
}
