import FreshetEssentials

#if canImport(Darwin)
import Darwin
#else
import CLinux
import Glibc
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
    let body = Unmanaged.passRetained(Body(name, run))
    do throws(DetachedThreadFailure) {
      pthread_detach(try create(body.toOpaque()))
    } catch {
      body.release()
      throw error
    }
  }

  /// Names the current thread for debuggers, in up to 15 characters.
  package static func setName(_ name: String) {
    #if canImport(Darwin)
    pthread_setname_np(name)
    #else
    freshet_name_thread(name)
    #endif
  }

  /// Does work after which a thread waits: on Apple platforms, what Foundation leaves behind is released then.
  package static func draining<Result>(_ work: () -> Result) -> Result {
    #if canImport(Darwin)
    autoreleasepool { work() }
    #else
    work()
    #endif
  }

  #if canImport(Darwin)
  private static func create(
    _ body: UnsafeMutableRawPointer
  ) throws(DetachedThreadFailure) -> pthread_t {
    var thread: pthread_t?
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    // As on Linux; the default of 512 KiB is too small for recursion into nested values.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    let code = pthread_create(&thread, &attributes, { DetachedThread.main($0) }, body)
    guard code == 0, let thread else { throw DetachedThreadFailure(code: code) }
    return thread
  }
  #else
  private static func create(
    _ body: UnsafeMutableRawPointer
  ) throws(DetachedThreadFailure) -> pthread_t {
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { DetachedThread.main($0) }, body)
    guard code == 0 else { throw DetachedThreadFailure(code: code) }
    return thread
  }
  #endif

  private final class Body: Sendable {
    private let name: String
    private let work: @Sendable () -> Void

    init(_ name: String, _ work: @escaping @Sendable () -> Void) {
      self.name = name
      self.work = work
    }

    func run() {
      DetachedThread.setName(name)
      work()
    }
  }

  private static func main(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let body else { return nil }
    Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
    return nil
  }
}

/// The failure of the system to create a thread.
package struct DetachedThreadFailure: Error {
  package let code: Int32

  package var reason: String { "no thread: \(String(cString: strerror(code)))" }
}
