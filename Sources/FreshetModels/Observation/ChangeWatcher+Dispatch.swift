#if canImport(Darwin)
import Dispatch
import Freshet
import FreshetEssentials
import Synchronization

/// Watches the note of a store for its own lifetime.
final class ChangeWatcher: Sendable {
  private let source: Mutex<any DispatchSourceFileSystemObject>

  /// Makes a watcher.
  ///
  /// - Returns: `nil` if the note cannot be opened.
  init?(_ path: String, token: UUID, onChange: @escaping @Sendable () -> Void) {
    guard let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW) else { return nil }
    let source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: file.descriptor,
      eventMask: [.write, .attrib, .extend],
      queue: DispatchQueue(label: "freshet.watch")
    )
    source.setEventHandler {
      if ChangeNote.isForeign(file, token) { onChange() }
    }
    source.activate()
    self.source = Mutex(source)
  }

  deinit {
    source.withLock { $0.cancel() }
  }
}
#endif
