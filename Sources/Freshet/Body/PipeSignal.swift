import FreshetEssentials

/// The signal of a pipe whose reader has gone, which ends a process that does not handle it.
enum PipeSignal {
  /// Writes to a descriptor, which fails without the signal.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor.
  ///   - write: A closure that writes on this thread.
  /// - Throws: The failure of the closure.
  static func withhold<Failure: Error>(
    of descriptor: Int32,
    _ write: () throws(Failure) -> Void
  ) throws(Failure) {
    #if canImport(Darwin)
    // The signal is for the process, so that a thread cannot block it.
    _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
    try write()
    #else
    var (signals, mask) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, &mask)
    defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
    do throws(Failure) {
      try write()
    } catch {
      // It is for this thread, and waits.
      var now = timespec()
      sigtimedwait(&signals, nil, &now)
      throw error
    }
    #endif
  }
}
