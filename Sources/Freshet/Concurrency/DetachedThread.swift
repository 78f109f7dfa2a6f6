import FreshetEssentials

#if !canImport(Darwin)
import CLinux
#endif

/// A detached thread off the cooperative pool.
///
/// Unlike Foundation's `Thread`, it reports if the thread could not be started.
package enum DetachedThread {
  /// Starts a detached thread.
  ///
  /// - Parameters:
  ///   - name: The name that debuggers show, of up to 15 characters.
  ///   - run: The work of the thread, which ends when it returns.
  /// - Throws: The reason why the system could not create a thread; `run` is not called then.
  package static func start(
    name: String,
    _ run: @escaping @Sendable () -> Void
  ) throws(DetachedThreadFailure) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    #if canImport(Darwin)
    // As on Linux; the default of 512 KiB is too small for recursion into nested values.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let body = Unmanaged.passRetained(
      Body {
        setName(name)
        run()
      }
    )
    let code = pthread_create(&thread, &attributes, { DetachedThread.main($0) }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw DetachedThreadFailure(code: code)
    }
  }

  private typealias Body = Boxed<@Sendable () -> Void>

  private static func main(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().value() }
    return nil
  }

  /// Names the current thread for debuggers, in up to 15 characters.
  private static func setName(_ name: String) {
    #if canImport(Darwin)
    pthread_setname_np(name)
    #else
    freshet_name_thread(name)
    #endif
  }

  /// Does work after which a thread waits: on Apple platforms, what Foundation leaves behind is released then.
  static func draining<Result>(_ work: () -> Result) -> Result {
    #if canImport(Darwin)
    autoreleasepool { work() }
    #else
    work()
    #endif
  }
}

/// The failure of the system to create a thread.
package struct DetachedThreadFailure: Error {
  package let code: Int32

  package var reason: String { "no thread: \(String(cString: strerror(code)))" }
}
