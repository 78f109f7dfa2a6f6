public import Foundation

extension ResourceBody {
  /// Writes a copy of the body to a file, in place of one that is there.
  ///
  /// The copy is written under a temporary name beside its destination and renamed when it is
  /// complete: whoever opens the destination sees the old file or the whole new one. Its
  /// permissions are those of any new file. The call blocks its thread while it copies.
  ///
  /// - Parameter url: Where the copy goes; its directory must be there.
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written, and
  ///   ``FreshetError/corrupted(expected:actual:url:)`` if the bytes of a body that a store has
  ///   found are not those that were stored; what was at the destination is untouched then.
  public func write(to url: URL) throws(FreshetError) {
    try write(to: url, permissions: nil)
  }

  /// Writes a copy as ``write(to:)`` does, with permissions that the process's mask does not lessen.
  package func write(to url: URL, permissions: mode_t?) throws(FreshetError) {
    let name = ".freshet-\(Hexadecimal.unpredictableName())"
    let temporary = url.deletingLastPathComponent().appendingPathComponent(name).path
    do throws(FreshetError) {
      try copy(to: temporary, permissions)
      do throws(FileFailure) {
        _ = try FileFailure.check("move", url.path) { rename(temporary, url.path) }
      } catch {
        throw error.error(at: url.path)
      }
    } catch {
      unlink(temporary)
      // Nobody knows the temporary name.
      if case .file(let reason, temporary) = error { throw .file(reason, path: url.path) }
      throw error
    }
  }

  /// Writes the bytes to a new file.
  private func copy(to path: String, _ permissions: mode_t?) throws(FreshetError) {
    let output: OpenFile
    do throws(FileFailure) {
      output = try OpenFile(creating: path, O_WRONLY, mode: permissions ?? 0o666)
      if let permissions {
        _ = try FileFailure.check("set the permissions of", path) {
          fchmod(output.descriptor, permissions)
        }
      }
      if case .file(let file) = storage, file.verification?.isPending != true,
        try FileCopy.clone(file.file, length: file.length, to: output)
      {
        return
      }
    } catch {
      throw error.error(at: path)
    }
    var reader = BodyReader(self, count: 1 << 20)
    while let chunk = try reader.next() {
      do throws(FileFailure) {
        try output.write(chunk)
      } catch {
        throw error.error(at: path)
      }
    }
  }
}
