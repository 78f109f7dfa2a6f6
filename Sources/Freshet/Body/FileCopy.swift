import FreshetEssentials

#if !canImport(Darwin)
import CLinux
#endif

/// Copies between open files inside the kernel.
enum FileCopy {
  /// The largest piece, in bytes: a copy is not cancelled within one.
  private static let pieceLength: Int64 = 64 << 20

  /// Copies a file of a known length inside the kernel.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - length: Its length.
  ///   - target: The copy.
  ///   - isCancelled: Returns whether the copy is no longer wanted; asked before each piece.
  /// - Returns: A Boolean value that indicates whether it was copied; `false`, before anything was
  ///   written, if the kernel does not support it.
  /// - Throws: ``FreshetError/cancelled``, or the error of the copy, without a path.
  static func clone(
    _ source: OpenFile,
    length: Int64,
    to target: OpenFile,
    isCancelled: () -> Bool
  ) throws(FreshetError) -> Bool {
    #if !canImport(Darwin)
    var offset: Int64 = 0
    while offset < length {
      if isCancelled() { throw .cancelled }
      let count = freshet_copy_file_range(
        source.descriptor,
        &offset,
        target.descriptor,
        Int(min(length - offset, pieceLength))
      )
      if count > 0 { continue }
      if count < 0, errno == EINTR { continue }
      // Several file systems refuse it, and some return 0: the bytes are then copied by reading and
      // writing.
      if offset == 0 { return false }
      throw FileFailure("copy", count < 0 ? errno : EIO, nil).error(at: "")
    }
    return true
    #else
    return false
    #endif
  }
}
