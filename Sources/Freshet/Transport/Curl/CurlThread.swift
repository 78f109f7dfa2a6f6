#if !canImport(Darwin)
import Glibc

/// The thread of a loop.
enum CurlThread {
  /// Starts a detached thread, which ends after the command to stop.
  static func start(_ runner: CurlRunner) throws(CurlFault) {
    // The thread inherits the mask, so that it handles no signals: a broken pipe below TLS is a write
    // error and does not end the process.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    do throws(DetachedThreadFailure) {
      try DetachedThread.start(name: "freshet") { runner.run() }
    } catch {
      throw CurlFault("no thread could be started", code: error.code)
    }
  }
}
#endif
