#if !canImport(Darwin)
import CLinux
import Glibc

/// The thread of a loop.
enum CurlThread {
  /// Starts a detached thread, which ends after the command to stop.
  static func start(_ loop: sending CurlLoop) throws(CurlFault) {
    let loop = Unmanaged.passRetained(loop)
    var thread = pthread_t()
    // The thread inherits the mask, so that it handles no signals: a broken pipe below TLS is a write
    // error and does not end the process.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let code = pthread_create(&thread, nil, { CurlThread.run($0) }, loop.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      loop.release()
      throw CurlFault("no thread could be started", code: code)
    }
    pthread_detach(thread)
  }

  /// Runs a loop to its end, and releases it.
  private static func endObservers(of pointer: UnsafeMutableRawPointer) -> [@Sendable () -> Void] {
    let loop = Unmanaged<CurlLoop>.fromOpaque(pointer).takeRetainedValue()
    loop.run()
    return loop.endObservers
  }

  private static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    freshet_name_thread("freshet")
    for observer in endObservers(of: pointer) { observer() }
    return nil
  }
}
#endif
