import Foundation
import Freshet

/// The right to send the changes of a directory, which one queue at a time has, until it is released or
/// its process ends.
final class ChangeLock: Sendable {
  private let file: OpenFile?

  /// Takes the lock; `nil` if another queue has it.
  ///
  /// - Parameter directory: The directory of the store; `nil` for one in memory, which nobody shares.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the file cannot be made.
  init?(_ directory: URL?) throws(FreshetError) {
    guard let directory else {
      file = nil
      return
    }
    do throws(FileFailure) {
      let path = directory.appending(path: "sender").path
      let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW)
      guard file.tryLock() else { return nil }
      self.file = file
    } catch {
      throw .store(error.reason)
    }
  }
}
