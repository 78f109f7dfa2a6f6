import Foundation

/// Whether a file system has room.
enum FreeSpace {
  /// Fails as a write would when `count` bytes do not fit beside an open file.
  static func check(_ file: OpenFile, for count: Int64) throws(FileFailure) {
    guard count > 0 else { return }
    var status = statvfs()
    _ = try FileFailure.check("examine", nil) { fstatvfs(file.descriptor, &status) }
    let (blocks, size) = (UInt64(status.f_bavail), UInt64(status.f_frsize))
    let (free, overflow) = blocks.multipliedReportingOverflow(by: size)
    if !overflow, free < UInt64(count) {
      throw FileFailure("write", ENOSPC, nil)
    }
  }
}
