#if !canImport(Darwin)
import CCurl
import CLinux
import Glibc
import Synchronization

/// A loop and its thread.
///
/// One thread at a time uses the loop. Its own holds the lock, except while it waits for events. Meanwhile
/// the thread of a caller can begin an exchange, if there is no other, which saves a thread switch.
final class CurlRunner: Sendable {
  let mailbox: CurlMailbox
  private let loop: Mutex<CurlLoop?>
  /// The descriptor on which the thread waits.
  private let poll: Int32

  /// Creates a loop, which begins with ``start()``.
  init(_ configuration: CurlTransport.Configuration) throws(CurlFault) {
    mailbox = try CurlMailbox()
    let loop = try CurlLoop(configuration, mailbox)
    poll = loop.poll
    self.loop = Mutex(loop)
  }

  /// Runs the loop on a detached thread, which ends after the command to stop.
  func start() throws(CurlFault) {
    // The thread inherits the mask, so that it handles no signals: a broken pipe below TLS is a write
    // error and does not end the process.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    do throws(DetachedThreadFailure) {
      try DetachedThread.start(name: "freshet") { self.run() }
    } catch {
      throw CurlFault("no thread could be started", code: error.code)
    }
  }

  /// Runs the loop to its end on the current thread, and releases it.
  private func run() {
    mailbox.attach()
    var events: [CurlEvent] = []
    var isBroken = false
    while let patience = loop.withLock({ [events] in $0?.turn(events, isBroken: isBroken) }) {
      isBroken = !wait(for: &events, patience)
    }
    let observers = loop.withLock { loop in loop.take()?.endObservers ?? [] }
    for observer in observers { observer() }
  }

  /// Lets a loop that was found asleep perform the command that was added.
  func attend(_ addition: CurlMailbox.Addition) {
    switch addition {
    case .taken, .refused: break
    case .wakes: mailbox.ring()
    case .idle: if !beginInPlace() { mailbox.ring() }
    }
  }

  private func beginInPlace() -> Bool {
    guard Self.canBeginInPlace else { return false }
    return loop.withLockIfAvailable { $0?.beginInPlace() ?? false } ?? false
  }

  /// A Boolean value that indicates whether libcurl never blocks a caller's thread, or ends its process.
  ///
  /// Without threads or c-ares it waits for name servers. Before 7.88, writing to a closed connection with
  /// TLS raises a signal, which the loop's thread blocks.
  private static let canBeginInPlace: Bool = {
    guard let version = curl_version_info(CURLVERSION_FIRST)?.pointee else { return false }
    return version.version_num >= 0x075800 && version.features & CURL_VERSION_ASYNCHDNS != 0
  }()

  /// Waits for events.
  ///
  /// - Parameters:
  ///   - events: The array that gets the events in place of its elements.
  ///   - patience: The longest time to wait, in milliseconds; -1 without a limit.
  /// - Returns: A Boolean value that indicates whether events can arrive.
  private func wait(for events: inout [CurlEvent], _ patience: Int32) -> Bool {
    events.removeAll(keepingCapacity: true)
    return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { buffer in
      let count = epoll_wait(poll, buffer.baseAddress, 256, patience)
      guard count >= 0 else { return errno == EINTR }
      for event in buffer.prefix(Int(count)) {
        events.append(CurlEvent(descriptor: event.data.fd, flags: event.events))
      }
      return true
    }
  }
}

/// An event on a descriptor.
struct CurlEvent: Sendable {
  let descriptor: Int32
  let flags: UInt32
}
#endif
