import FreshetEssentials

#if !canImport(Darwin)
import CLinux
#endif

/// Copies between open files inside the kernel.
enum FileCopy {
  /// Copies a file of a known length inside the kernel.
  ///
  /// - Returns: A Boolean value that indicates whether it was copied; `false`, before anything was
  ///   written, if the kernel does not support it.
  static func clone(
    _ source: OpenFile,
    length: Int64,
    to target: OpenFile
  ) throws(FileFailure) -> Bool {
    #if !canImport(Darwin)
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
      // Several file systems refuse it, and some return 0: the bytes are then copied by reading and
      // writing.
      if offset == 0 { return false }
      throw FileFailure("copy", count < 0 ? errno : EIO, nil)
    }
    return true
    #else
    return false
    #endif
  }
}
