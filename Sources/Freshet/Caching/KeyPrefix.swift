/// The keys of one partition that begin with the same text.
struct KeyPrefix: Sendable {
  let text: String
  private let isUnpartitioned: Bool

  init(_ prefix: String, partition: String) {
    text = CacheKey.prefix(partition) + prefix
    isUnpartitioned = partition.isEmpty
  }

  func contains(_ key: CacheKey) -> Bool {
    key.text.utf8.starts(with: text.utf8)
      && !(isUnpartitioned && key.text.utf8.contains(UInt8(ascii: "\n")))
  }
}
