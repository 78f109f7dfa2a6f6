package import FreshetEssentials

/// The names under which an engine that several processes share records removals: digests, which do not
/// reveal what was removed.
package enum SharedMarks {
  /// The removals that make a response late if they came after its request.
  package static func late(_ response: StoredResponse) -> [String] {
    Removal.all(of: response).map { "r:\(digest($0))" }
  }

  /// The changes at the origin that make a response late if they came after its request.
  package static func changes(_ key: CacheKey) -> [String] {
    key.roots.map { "i:\(digest(.key($0)))" }
  }

  /// The removals that concern all responses of a key.
  package static func stored(_ key: CacheKey) -> [String] {
    let partition = Removal.partition(key.partition)
    return ["r:\(digest(.everything))", "w:\(digest(partition))"]
      + key.roots.map { "r:\(digest(.key($0)))" } + changes(key)
  }

  /// The removals by tag that concern a response.
  package static func tags(_ tags: Set<String>) -> [String] {
    tags.sorted().map { "r:\(digest(.tag($0)))" }
  }

  /// The name of the list of the removals by prefix in the partition of a key.
  package static func prefixes(_ partition: String) -> String {
    "p:\(digest(.partition(partition)))"
  }

  /// The text that removals by prefix are compared with, as hexadecimal digits.
  package static func own(_ key: CacheKey) -> String { Hexadecimal.text(key.own.utf8) }

  /// The marks that a removal leaves, and the prefix that it adds to a list, if any.
  package static func of(
    _ removal: StoreRemoval
  ) -> (marks: [String], prefix: (list: String, text: String)?) {
    switch removal {
    case .invalidated(let key, _):
      return (["i:\(digest(.key(key)))"], nil)
    case .key(let key):
      return (["r:\(digest(.key(key)))"], nil)
    case .tag(let tag):
      return (["r:\(digest(.tag(tag)))"], nil)
    case .prefix(let prefix, let partition):
      let whole = digest(.partition(partition))
      if prefix.isEmpty { return (["r:\(whole)", "w:\(whole)"], nil) }
      return (["r:\(whole)"], (prefixes(partition), Hexadecimal.text(prefix.utf8)))
    case .everything, .missed:
      return (["r:\(digest(.everything))"], nil)
    }
  }

  /// The name of a key's entry.
  package static func entry(_ key: CacheKey) -> String { digest(.key(key)) }

  private static func digest(_ removal: Removal) -> String { String(removal.mark("").prefix(32)) }
}

extension StoredResponse {
  /// The time up to which it includes changes of the resource, in seconds since 1970; 0, before every
  /// change, if it seems to be from the future.
  package var knownTime: TimeInterval {
    let isAhead = knownAt.timeIntervalSinceNow > Invalidations.longestTransfer
    return isAhead ? 0 : knownAt.timeIntervalSince1970
  }

  /// The reason why a store that users of different partitions share must not have it, or `nil`.
  ///
  /// A response with `no-store` is never stored there. One that is `private`, or was selected by
  /// credentials or a cookie, is only stored in a partition, which identifies its user.
  package var sharingObjection: String? {
    let flags = record.control.flags
    if flags.contains(.noStore) { return "no-store" }
    guard key.partition.isEmpty else { return nil }
    if flags.contains(.isPrivate) { return "it is private; store it in a partition of its user" }
    let secret = varying.fields.first {
      $0.value != nil && Redaction.isSecret(HTTPHeaders.Name($0.name))
    }
    return secret.map { "it depends on \($0.name); store it in a partition of its user" }
  }

  /// The longest time, in seconds from now on, in which it may be of use.
  ///
  /// That is the rest of its lifetime, and then as long as expired copies are retained for validations
  /// and failures. One that must be validated and has no validator is of no use after its lifetime.
  package func usefulTime(retention: TimeInterval, now: Date) -> TimeInterval {
    let rest = record.isOutdated ? 0 : max(0, record.lifetime - record.age(now))
    let hasValidator = head.headers.contains(.eTag) || head.headers.contains(.lastModified)
    let isStrict = record.mustValidate || record.control.flags.contains(.mustRevalidate)
    return rest + (hasValidator || !isStrict ? retention : 0)
  }

  /// The time of a change at the origin, unless it is implausible by this machine's clock.
  package static func plausibleChange(_ time: Date) -> Date { ChangeMark(time, heard: .now).time }
}

extension StoredResponse {
  /// Returns the error with the copy of a shared store beside it.
  package func beside(_ copy: StoredResponse) -> StoredResponse {
    with(beside: Beside(response: copy, source: .shared))
  }

  /// Returns the response with its known digest.
  package func digested(_ digest: SHA256Checksum) -> StoredResponse {
    self.digest == digest ? self : with(body: body, digest: digest)
  }
}
