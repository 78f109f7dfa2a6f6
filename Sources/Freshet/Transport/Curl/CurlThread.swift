#if !canImport(Darwin)
import CLinux
import Glibc

/// The thread of a loop.
enum CurlThread {
  /// Starts a detached thread, which ends after the command to stop.
  static func start(_ runner: CurlRunner) throws(CurlFault) {
    let runner = Unmanaged.passRetained(runner)
    var thread = pthread_t()
    // The thread inherits the mask, so that it handles no signals: a broken pipe below TLS is a write
    // error and does not end the process.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    let code = pthread_create(&thread, nil, { CurlThread.run($0) }, runner.toOpaque())
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard code == 0 else {
      runner.release()
      throw CurlFault("no thread could be started", code: code)
    }
    pthread_detach(thread)
  }

  private static func run(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    freshet_name_thread("freshet")
    Unmanaged<CurlRunner>.fromOpaque(pointer).takeRetainedValue().run()
    return nil
  }
}
#endif
