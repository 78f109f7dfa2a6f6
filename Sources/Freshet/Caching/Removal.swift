import Foundation

/// What somebody had removed from a store: what was asked for before then is not to come back.
enum Removal: Sendable, Hashable {
  case everything
  /// All of a partition, or a part of it: who was on the way there is not told apart.
  case partition(String)
  /// A key and those that extend it.
  case key(CacheKey)
  case tag(String)

  /// The removals that concern a response.
  static func all(of response: StoredResponse) -> [Removal] {
    var removals = [Removal.everything, .partition(CacheKey.prefix(response.key.partition))]
    for key in response.key.roots { removals.append(.key(key)) }
    for tag in response.tags { removals.append(.tag(tag)) }
    return removals
  }

  /// What stands for it in a file, which is not to tell what was removed.
  func mark(_ salt: String) -> String {
    let text =
      switch self {
      case .everything: "everything"
      case .partition(let prefix): "partition \(prefix)"
      case .key(let key): "key \(key.text)"
      case .tag(let name): "tag \(name)"
      }
    return SHA256Hasher.digest(of: Data("\(salt)$\(text)".utf8)).hex
  }
}

/// When something was removed, by this machine's clock.
struct Removals: Sendable {
  private var times: [Removal: Date] = [:]
  private var newest = Date.distantPast

  mutating func note(_ removal: Removal, at time: Date) {
    times[removal] = time
    newest = time
    guard times.count > Invalidations.limit else { return }
    let sorted = times.sorted { $0.value > $1.value }
    times = Dictionary(
      uniqueKeysWithValues: sorted.prefix(Invalidations.limit / 2).map { ($0.key, $0.value) }
    )
  }

  /// Whether the response was asked for before something that concerns it was removed.
  func concern(_ response: StoredResponse) -> Bool {
    guard let askedAt = response.askedAt, askedAt < newest else { return false }
    return Removal.all(of: response)
      .contains { removal in
        times[removal].map { Invalidations.isLate(askedAt, for: $0) } ?? false
      }
  }
}
