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
  private final class Body {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  private let handle: pthread_t

  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: The name in debuggers, up to 15 characters.
  ///   - run: The body of the thread.
  /// - Throws: The reason why the system could not create a thread.
  init(name: String, _ run: @escaping @Sendable () -> Void) throws(Socket.Failure) {
    let run: @Sendable () -> Void = {
      DetachedThread.setName(name)
      run()
    }
    let body = Unmanaged.passRetained(Body(run))
    #if canImport(Darwin)
    var created: pthread_t?
    let result = pthread_create(&created, nil, { Self.main($0) }, body.toOpaque())
    #else
    var created = pthread_t()
    let result = pthread_create(&created, nil, { $0.flatMap { Self.main($0) } }, body.toOpaque())
    #endif
    guard result == 0, let handle = created as pthread_t? else {
      body.release()
      errno = result
      throw Socket.Failure()
    }
    self.handle = handle
  }

  private static func main(_ body: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
    return nil
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
