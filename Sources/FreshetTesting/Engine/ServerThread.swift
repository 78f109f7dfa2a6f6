import Freshet
import FreshetEssentials

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A thread of its own, outside of the cooperative pool.
///
/// `@unchecked Sendable` because a `pthread_t` is a handle without state that any thread may pass
/// to `pthread_join` or `pthread_detach`; the owner calls one of them, once.
struct ServerThread: @unchecked Sendable {
  private let handle: pthread_t

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: The name in debuggers, up to 15 characters.
  ///   - run: The body of the thread.
  /// - Throws: The reason why the system could not create a thread.
  init(name: String, _ run: @escaping @Sendable () -> Void) throws(Socket.Failure) {
    do throws(DetachedThreadFailure) {
      handle = try DetachedThread.create(name: name, run)
    } catch {
      errno = error.code
      throw Socket.Failure()
    }
  }

  /// Waits until the thread has ended; it must be about to end.
  func join() {
    pthread_join(handle, nil)
  }

  /// Lets the system release the thread when it ends.
  func detach() {
    pthread_detach(handle)
  }
}
