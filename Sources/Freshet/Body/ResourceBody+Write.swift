public import FreshetEssentials

extension ResourceBody {
  /// Writes a copy of the body to a file, and replaces an existing one.
  ///
  /// The copy is written under a temporary name in the same directory and renamed when it is
  /// complete, so that a reader sees the old file or the whole new one. Its permissions are those
  /// of any new file. The call blocks its thread while it copies.
  ///
  /// - Parameter url: The URL of the copy; its directory must exist.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written, and
  ///   ``FreshetError/corrupted(expected:actual:url:)`` if the bytes of a body from a store are not
  ///   those that were stored; an existing file is unchanged in both cases.
  public func write(to url: URL) throws(FreshetError) {
    try write(to: url, permissions: nil)
  }

  /// Writes a copy like ``write(to:)``, behind a head, with permissions that the process's mask does not reduce.
  package func write(
    to url: URL,
    after head: Data = Data(),
    permissions: mode_t?
  ) throws(FreshetError) {
    let replacement = try FileFailure.reporting(at: url.path) { () throws(FileFailure) in
      let replacement = try ReplacementFile(for: url.path, mode: permissions ?? 0o666)
      if let permissions { try replacement.file.setPermissions(permissions) }
      try replacement.file.write(head)
      return replacement
    }
    do throws(FreshetError) {
      try copy(to: replacement.file) { false }
    } catch .file(let reason, "") {
      throw .file(reason, path: url.path)
    }
    try FileFailure.reporting(at: url.path) { () throws(FileFailure) in try replacement.commit() }
  }

  /// Writes the bytes to an open file, by the kernel's own means where they are known to be right.
  ///
  /// - Parameters:
  ///   - output: The open file.
  ///   - isCancelled: Returns whether the copy is no longer wanted; asked before each piece.
  /// - Throws: The error of a write, without a path.
  func copy(to output: OpenFile, isCancelled: () -> Bool) throws(FreshetError) {
    if case .file(let file) = storage, file.verification?.isPending != true,
      try FileCopy.clone(file.file, length: file.length, to: output, isCancelled: isCancelled)
    {
      return
    }
    var reader = BodyReader(self, count: 1 << 20)
    while let chunk = try reader.next() {
      if isCancelled() { throw .cancelled }
      try FileFailure.reporting(at: "") { () throws(FileFailure) in try output.write(chunk) }
    }
  }
}
