#if os(Linux)
import Glibc

/// The signal that a write to a broken connection raises below TLS.
enum BrokenPipe {
  /// Keeps the signal from a piece of work, on a thread that is somebody else's.
  static func withoutSignal(_ work: () -> Void) {
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    work()
    guard sigismember(&before, SIGPIPE) == 0 else { return }
    // One that has come must be gone before the thread is open to it again.
    var noTime = timespec()
    while sigtimedwait(&pipe, nil, &noTime) < 0, errno == EINTR {}
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
#endif
