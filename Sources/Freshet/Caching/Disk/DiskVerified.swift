import Synchronization

/// The records whose bytes were found to match their digest since the store was opened.
final class DiskVerified: Sendable {
  private static let limit = 65_536
  private let records = Mutex<Set<Key>>([])

  /// A row number can be used again for another response; its fingerprint is not.
  private struct Key: Hashable {
    let id: Int64
    let fingerprint: Int64
  }

  func contains(_ id: Int64, _ fingerprint: Int64) -> Bool {
    records.withLock { $0.contains(Key(id: id, fingerprint: fingerprint)) }
  }

  func insert(_ id: Int64, _ fingerprint: Int64) {
    records.withLock { records in
      // After a reset each record is hashed again, once.
      if records.count >= Self.limit { records = [] }
      records.insert(Key(id: id, fingerprint: fingerprint))
    }
  }
}
