#if canImport(Darwin)
import Dispatch
import Foundation
import Freshet

/// Watches the note of a store for its own lifetime.
final class ChangeWatcher: Sendable {
  private let source: any DispatchSourceFileSystemObject

  init(_ path: String, token: UUID, onChange: @escaping @Sendable () -> Void) {
    let file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW)
    source = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: file?.descriptor ?? -1,
      eventMask: [.write, .attrib, .extend],
      queue: DispatchQueue(label: "freshet.watch")
    )
    source.setEventHandler {
      if file.map({ ChangeNote.isForeign($0, token) }) ?? true { onChange() }
    }
    source.activate()
  }

  deinit {
    source.cancel()
  }
}
#endif
