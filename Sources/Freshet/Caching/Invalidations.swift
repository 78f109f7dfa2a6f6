package import FreshetEssentials

/// The changes at the origin that a store has recorded, by key: responses that may lack one are not
/// stored.
///
/// The invalidation of a key concerns all that extend it, see ``CacheKey/covers(_:)``.
package struct Invalidations: Sendable {
  private var marks: [CacheKey: ChangeMark] = [:]
  /// The newest of the changes that were dropped; it concerns every key.
  private var forgotten: ChangeMark?

  /// The number of recorded changes above which the older half is dropped.
  static let limit = 4_096
  /// The longest duration of a transfer, and the largest error of a clock, in seconds.
  package static let longestTransfer: TimeInterval = 86_400

  var isEmpty: Bool { marks.isEmpty && forgotten == nil }
  var all: [CacheKey: ChangeMark] { marks }

  mutating func note(_ key: CacheKey, _ mark: ChangeMark) {
    marks[key] = marks[key].map { mark.replacing($0) } ?? mark
    guard marks.count > Self.limit else { return }
    let sorted = marks.sorted { $0.value.heard.uptime > $1.value.heard.uptime }
    forgotten = sorted[Self.limit / 2].value
    marks = Dictionary(
      uniqueKeysWithValues: sorted.prefix(Self.limit / 2).map { ($0.key, $0.value) }
    )
  }

  /// Removes an invalidation that is written elsewhere, unless there has been another one since.
  mutating func forget(_ key: CacheKey, _ mark: ChangeMark) {
    if marks[key]?.heard == mark.heard { marks[key] = nil }
  }

  /// Returns the time at which the key was invalidated last.
  func time(of key: CacheKey) -> Date? {
    if marks.isEmpty { return nil }
    return key.roots.compactMap { marks[$0]?.time }.max()
  }

  /// Returns a Boolean value that indicates whether the response may lack a change.
  mutating func concern(_ response: StoredResponse, now: EventInstant = .now) -> Bool {
    if isEmpty { return false }
    forgotten?.repair(now: now)
    if forgotten?.concerns(response, now: now) == true { return true }
    return response.key.roots.contains { key in
      marks[key]?.repair(now: now)
      return marks[key]?.concerns(response, now: now) == true
    }
  }

  /// Returns a Boolean value that indicates whether a stored response is not proven to be newer than a change.
  func mayConcern(stored response: StoredResponse, now: EventInstant = .now) -> Bool {
    let candidates = response.key.roots.map { marks[$0] } + [forgotten]
    return candidates.compactMap(\.self)
      .contains { response.knownSince?.mayPrecede($0.heard, now: now) ?? true }
  }
}

extension CacheKey {
  /// Returns a Boolean value that indicates whether another key is this one or extends it: by a
  /// `Host` field, chosen header fields or a body.
  package func covers(_ other: CacheKey) -> Bool {
    let text = text.utf8
    let rest = other.text.utf8.dropFirst(text.count)
    return other.text.utf8.starts(with: text)
      && (rest.isEmpty || rest.first == UInt8(ascii: " "))
  }

  /// The keys that cover this one: itself, and those that it extends.
  var roots: [CacheKey] {
    var roots = [self]
    var rest = own
    while let space = rest.utf8.lastIndex(of: UInt8(ascii: " ")) {
      rest = rest[..<space]
      roots.append(CacheKey(text: String(text[..<space])))
    }
    return roots
  }

  /// The first text after those of the keys that extend it, as stores order them by their bytes.
  var endOfCovered: String { text + "!" }
}
