import Freshet
import FreshetEssentials
import Synchronization

/// The right to send the changes of a database, which one queue at a time has, until it is released or
/// its process ends.
final class ChangeLock: Sendable {
  private let file: OpenFile?
  /// The database in memory.
  private let core: ModelDatabase?

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
      (self.file, self.core) = (file, nil)
    } catch {
      throw .store(error.reason)
    }
  }

  deinit {
    core?.hasSender.store(false, ordering: .releasing)
  }
}
