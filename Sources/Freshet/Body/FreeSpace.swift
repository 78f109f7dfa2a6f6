import FreshetEssentials

/// A check of the free space of a file system.
enum FreeSpace {
  /// Throws the error of a write if `count` bytes do not fit into the file system of an open file.
  static func check(_ file: OpenFile, for count: Int64) throws(FileFailure) {
    guard count > 0 else { return }
    #if canImport(Darwin)
    // There `statvfs` counts blocks in 32 bits.
    var status = statfs()
    _ = try FileFailure.check("examine", nil) { fstatfs(file.descriptor, &status) }
    let size = UInt64(status.f_bsize)
    #else
    var status = statvfs()
    _ = try FileFailure.check("examine", nil) { fstatvfs(file.descriptor, &status) }
    let size = UInt64(status.f_frsize)
    #endif
    // Some file systems do not tell.
    guard status.f_blocks > 0 else { return }
    let blocks = UInt64(status.f_bavail)
    let (free, overflow) = blocks.multipliedReportingOverflow(by: size)
    if !overflow, free < UInt64(count) {
      throw FileFailure("write", ENOSPC, nil)
    }
  }
}
