import Foundation

/// When something has changed at the origin, by key: responses that were asked for before then are
/// not kept any more.
///
/// The invalidation of a key concerns all that extend it, see ``CacheKey/covers(_:)``.
struct Invalidations: Sendable {
  private var times: [CacheKey: Date] = [:]

  /// How many are remembered; beyond it, the older half is forgotten.
  static let limit = 4_096
  /// How long a response can have been on its way, in seconds.
  ///
  /// What seems to have been for longer has a clock that was set back.
  static let longestTransfer: TimeInterval = 86_400

  var isEmpty: Bool { times.isEmpty }
  var all: [CacheKey: Date] { times }

  mutating func note(_ key: CacheKey, at time: Date) {
    times[key] = max(times[key] ?? time, time)
    guard times.count > Self.limit else { return }
    let sorted = times.sorted { $0.value > $1.value }
    times = Dictionary(
      uniqueKeysWithValues: sorted.prefix(Self.limit / 2).map { ($0.key, $0.value) }
    )
  }

  /// Forgets an invalidation unless there has been another one since.
  mutating func forget(_ key: CacheKey, at time: Date) {
    if times[key] == time { times[key] = nil }
  }

  /// When the key was invalidated last.
  func time(of key: CacheKey) -> Date? {
    if times.isEmpty { return nil }
    return key.roots.compactMap { times[$0] }.max()
  }

  /// Whether the response was asked for before its key was invalidated.
  func concern(_ response: StoredResponse) -> Bool {
    guard let time = time(of: response.key) else { return false }
    return Self.isLate(response.knownAt, for: time)
  }

  static func isLate(_ knownAt: Date, for invalidation: Date) -> Bool {
    let lateness = invalidation.timeIntervalSince(knownAt)
    return lateness > 0 && lateness < longestTransfer
  }
}

extension CacheKey {
  /// Whether another key is this one or extends it: by a `Host` field, chosen header fields or a body.
  func covers(_ other: CacheKey) -> Bool {
    let text = text.utf8
    let rest = other.text.utf8.dropFirst(text.count)
    return other.text.utf8.starts(with: text)
      && (rest.isEmpty || rest.first == UInt8(ascii: " "))
  }

  /// The keys that cover this one: itself, and what it extends.
  var roots: [CacheKey] {
    let end = text.utf8.lastIndex(of: UInt8(ascii: "\n")).map(text.utf8.index(after:))
    var roots = [self]
    var rest = text[(end ?? text.startIndex)...]
    while let space = rest.utf8.lastIndex(of: UInt8(ascii: " ")) {
      rest = rest[..<space]
      roots.append(CacheKey(text: String(text[..<space])))
    }
    return roots
  }

  /// The first text after those of the keys that it covers, as stores order them by their bytes.
  var endOfCovered: String { text + "!" }
}
