import Foundation

/// The bodies of records that were replaced, until a loss of power cannot bring those records back.
///
/// Without ``DiskStore/Durability/power`` a commit reaches the device some time later. If the power
/// fails before, the record that was replaced is there again, and must still have its body.
struct DiskReplaced {
  private(set) var names: [String] = []
  private var bytes: Int64 = 0
  /// When the first of them was added.
  private(set) var since: ContinuousClock.Instant?

  /// Whether it is time to have the device keep the commits, for the sake of space.
  var isMany: Bool { names.count >= 256 || bytes >= 64 << 20 }

  mutating func add(_ name: String, _ length: Int64) {
    if names.isEmpty { since = .now }
    names.append(name)
    bytes &+= length
  }

  mutating func take() -> [String] {
    defer { self = DiskReplaced() }
    return names
  }
}

extension DiskSession {
  /// Removes the bodies that the transaction needs no more, or soon.
  func removeFiles(after transaction: DiskTransaction) {
    for name in transaction.obsoleteFiles { unlink(shared.layout.bodyPath(name)) }
    for (name, length) in transaction.replacedFiles {
      if shared.configuration.durability == .power {
        unlink(shared.layout.bodyPath(name))
      } else {
        replaced.add(name, length)
      }
    }
    // Whoever has something removed wants it gone, earlier versions included.
    if transaction.hasRemoved { unlinkReplaced() }
  }

  /// Brings the commits to the device, and removes the bodies of what they have replaced.
  func removeReplaced() {
    guard !replaced.names.isEmpty else { return }
    if let log = try? OpenFile(shared.layout.database.path + "-wal", O_RDONLY) {
      try? log.synchronize()
    }
    unlinkReplaced()
  }

  private func unlinkReplaced() {
    for name in replaced.take() { unlink(shared.layout.bodyPath(name)) }
  }
}
