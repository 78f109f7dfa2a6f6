import Foundation

#if os(Linux)
import CLinux
#endif

/// Copies between open files without bringing the bytes here.
enum FileCopy {
  /// Copies a file of a known length by the kernel's own means.
  ///
  /// - Returns: Whether it is done; `false`, before anything was written, if the kernel cannot.
  static func clone(
    _ source: OpenFile,
    length: Int64,
    to target: OpenFile
  ) throws(FileFailure) -> Bool {
    #if os(Linux)
    var offset: Int64 = 0
    while offset < length {
      let count = freshet_copy_file_range(
        source.descriptor,
        &offset,
        target.descriptor,
        Int(min(length - offset, 1 << 30))
      )
      if count > 0 { continue }
      if count < 0, errno == EINTR { continue }
      // Several file systems refuse it, and some answer 0: then the bytes go the long way.
      if offset == 0 { return false }
      throw FileFailure("copy", count < 0 ? errno : EIO, nil)
    }
    return true
    #else
    return false
    #endif
  }
}
