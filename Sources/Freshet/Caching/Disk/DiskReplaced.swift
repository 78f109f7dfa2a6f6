import FreshetEssentials

/// The bodies of records that were replaced, kept until a loss of power can no longer restore those
/// records.
///
/// Without ``DiskStore/Durability/power`` a commit reaches the device some time later. If the power
/// fails before, the replaced record exists again, and must still have its body.
struct DiskReplaced {
  private(set) var names: [String] = []
  private var bytes: Int64 = 0
  /// The instant at which the first of them was added.
  private(set) var since: ContinuousClock.Instant?

  /// A Boolean value that indicates whether the commits should be synchronized now to free space.
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
  /// Removes the bodies that the transaction made obsolete, now or soon.
  func removeFiles(after transaction: DiskTransaction) {
    for name in transaction.obsoleteFiles { unlink(shared.layout.bodyPath(name)) }
    for (name, length) in transaction.replacedFiles {
      if shared.configuration.durability == .power {
        unlink(shared.layout.bodyPath(name))
      } else {
        replaced.add(name, length)
      }
    }
    // A removal must also delete earlier versions.
    if transaction.hasRemoved { unlinkReplaced() }
  }

  /// Synchronizes the commits to the device, and removes the bodies of the records that they
  /// replaced.
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
