import Freshet
import FreshetEssentials
import Synchronization

/// The right to send the changes of a database, which one queue at a time has, until it is released or
/// its process ends.
final class ChangeLock: Sendable {
  /// The locked file, and its path.
  private let file: (open: OpenFile, path: String)?
  /// The database in memory.
  private let core: ModelDatabase?

  /// A Boolean value that indicates whether no other queue can have the lock; `false` after the file was
  /// removed, because another one is made in its place.
  var isValid: Bool { file.map { $0.open.isStill(at: $0.path) } ?? true }

  /// Takes the lock; `nil` if another queue has it.
  ///
  /// - Parameter core: The database; one in memory is shared by the queues of one store.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the file cannot be made.
  init?(_ core: ModelDatabase) throws(FreshetError) {
    guard let directory = core.place.directory else {
      if core.hasSender.exchange(true, ordering: .acquiringAndReleasing) { return nil }
      (file, self.core) = (nil, core)
      return
    }
    do throws(FileFailure) {
      let path = directory.appending(path: "sender").path
      let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW)
      guard file.tryLock() else { return nil }
      self.file = (open: file, path: path)
      self.core = nil
    } catch {
      throw .store(error.reason)
    }
  }

  deinit {
    core?.hasSender.store(false, ordering: .releasing)
  }
}
