/// The size limits of a directory; they are stored in it, see
/// ``DiskStore/Configuration/byteLimit``.
struct DiskLimits: Sendable, Hashable {
  var bytes: Int64
  var partialBytes: Int64

  /// The limits of a new directory.
  static let initial = DiskLimits(bytes: 512 << 20, partialBytes: 512 << 20)

  /// Returns these limits, replaced by those that the configuration sets.
  func with(_ configuration: DiskStore.Configuration) -> DiskLimits {
    DiskLimits(
      bytes: configuration.byteLimit ?? bytes,
      partialBytes: configuration.partialByteLimit ?? partialBytes
    )
  }
}
