#if !canImport(Darwin)
import CLinux
import Freshet
import FreshetEssentials
import Synchronization

/// Watches the note of a store on a thread of its own, for its own lifetime.
///
/// If the system has no watch left for it, or the note is removed, it polls twice a second.
final class ChangeWatcher: Sendable {
  private let watch: Watch

  /// Makes a watcher.
  ///
  /// - Returns: `nil` if the system has no thread for it.
  init?(_ path: String, token: UUID, onChange: @escaping @Sendable () -> Void) {
    let watch = Watch(path, token: token)
    self.watch = watch
    do {
      try DetachedThread.start(name: "freshet.watch") { watch.run(onChange) }
    } catch {
      return nil
    }
  }

  deinit {
    watch.stop()
  }
}

/// The files of a watch, which the watcher shares with its thread.
///
/// Neither side closes a file that the other still uses.
private final class Watch: Sendable {
  private let path: String
  private let token: UUID
  private let events: OpenFile
  private let wake = OpenFile(owning: eventfd(0, Int32(EFD_CLOEXEC)))
  private let isStopped = Atomic(false)
  private let note: Mutex<OpenFile?>

  init(_ path: String, token: UUID) {
    self.path = path
    self.token = token
    note = Mutex(try? OpenFile(path, O_RDONLY | O_NOFOLLOW))
    let events = OpenFile(owning: inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)))
    // Before the first read, so that later commits are noticed.
    let number = inotify_add_watch(events.descriptor, path, UInt32(IN_MODIFY | IN_ATTRIB))
    self.events = number < 0 ? OpenFile(owning: -1) : events
  }

  func stop() {
    isStopped.store(true, ordering: .releasing)
    // The thread may take a while to end; a closed store must not hold any of its files.
    note.withLock { $0 = nil }
    eventfd_write(wake.descriptor, 1)
  }

  /// Watches until the end, on a thread of its own.
  func run(_ onChange: () -> Void) {
    var isWatching = events.descriptor >= 0
    while !isStopped.load(ordering: .acquiring) {
      var sources = [
        pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isWatching ? events.descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let isComplete = isWatching && wake.descriptor >= 0
      if poll(&sources, 2, isComplete ? -1 : 500) < 0, errno != EINTR { usleep(500_000) }
      if isStopped.load(ordering: .acquiring) { return }
      // A broken watch would always be ready.
      if isWatching, sources[1].revents & ~Int16(POLLIN) != 0 { isWatching = false }
      if isWatching { drain() }
      // An open file that is removed has an event of its attributes; nothing tells when it is made again.
      if isWatching, hasMoved { isWatching = false }
      if !isWatching || isForeign { onChange() }
    }
  }

  private var isForeign: Bool {
    note.withLock { note in note.map { ChangeNote.isForeign($0, token) } ?? true }
  }

  /// A Boolean value that indicates whether the note is no longer at its path.
  private var hasMoved: Bool {
    note.withLock { note in note.map { !$0.isStill(at: path) } ?? false }
  }

  private func drain() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      while read(events.descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
#endif
