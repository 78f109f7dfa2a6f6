/// How much a directory may hold; the limits belong to it, see ``DiskStore/Configuration/byteLimit``.
struct DiskLimits: Sendable, Hashable {
  var bytes: Int64
  var partialBytes: Int64

  /// What a new directory has.
  static let initial = DiskLimits(bytes: 512 << 20, partialBytes: 512 << 20)

  /// These, except where a store names others.
  func with(_ configuration: DiskStore.Configuration) -> DiskLimits {
    DiskLimits(
      bytes: configuration.byteLimit ?? bytes,
      partialBytes: configuration.partialByteLimit ?? partialBytes
    )
  }
}
