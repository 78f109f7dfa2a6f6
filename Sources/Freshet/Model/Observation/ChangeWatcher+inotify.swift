#if os(Linux)
import CLinux
import Foundation

/// Watches the note of a store on a thread of its own, as long as it lives.
///
/// Where the system has no watch left for it, it looks twice a second.
final class ChangeWatcher: Sendable {
  private let stopper: Int32

  init(_ path: String, token: UUID, onChange: @escaping @Sendable () -> Void) {
    let stopper = eventfd(0, Int32(EFD_CLOEXEC))
    self.stopper = stopper
    let loop = Loop(path, token: token, stopper: stopper, onChange: onChange)
    let thread = Thread { loop.run() }
    thread.name = "freshet.watch"
    thread.start()
  }

  deinit {
    // The thread closes it.
    eventfd_write(stopper, 1)
  }
}

// MARK: - The thread

private struct Loop: Sendable {
  private let file: OpenFile?
  private let events: Int32
  private let stopper: Int32
  private let token: UUID
  private let onChange: @Sendable () -> Void

  init(
    _ path: String,
    token: UUID,
    stopper: Int32,
    onChange: @escaping @Sendable () -> Void
  ) {
    self.stopper = stopper
    self.token = token
    self.onChange = onChange
    file = try? OpenFile(path, O_RDONLY | O_NOFOLLOW)
    let events = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    // Before anybody reads: what is committed after the first reading is heard of.
    if events >= 0, inotify_add_watch(events, path, UInt32(IN_MODIFY)) < 0 {
      close(events)
      self.events = -1
    } else {
      self.events = events
    }
  }

  func run() {
    defer {
      close(stopper)
      if events >= 0 { close(events) }
    }
    while true {
      var sources = [
        pollfd(fd: stopper, events: Int16(POLLIN), revents: 0),
        pollfd(fd: events, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&sources, 2, events >= 0 ? -1 : 500)
      if sources[0].revents != 0 { return }
      if count < 0, errno != EINTR { return }
      drain()
      if events < 0 || file.map({ ChangeNote.isForeign($0, token) }) ?? true { onChange() }
    }
  }

  private func drain() {
    guard events >= 0 else { return }
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
      while read(events, buffer.baseAddress, buffer.count) > 0 {}
    }
  }
}
#endif
