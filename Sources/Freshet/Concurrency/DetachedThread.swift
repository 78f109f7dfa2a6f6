import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A thread that ends by itself, off the cooperative pool.
///
/// Foundation's does not tell whether it has started.
package enum DetachedThread {
  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: What debuggers show, up to 15 characters.
  ///   - run: What it does before it ends.
  /// - Throws: Why the system has no thread left; `run` is not called then.
  package static func start(
    name: String,
    _ run: @escaping @Sendable () -> Void
  ) throws(DetachedThreadFailure) {
    let body = Unmanaged.passRetained(Body(name, run))
    let code = create(body.toOpaque())
    guard code == 0 else {
      body.release()
      throw DetachedThreadFailure(code: code)
    }
  }

  #if canImport(Darwin)
  private static func create(_ body: UnsafeMutableRawPointer) -> Int32 {
    var thread: pthread_t?
    let code = pthread_create(&thread, nil, { DetachedThread.main($0) }, body)
    if code == 0, let thread { pthread_detach(thread) }
    return code
  }
  #else
  private static func create(_ body: UnsafeMutableRawPointer) -> Int32 {
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { DetachedThread.main($0) }, body)
    if code == 0 { pthread_detach(thread) }
    return code
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
      Thread.current.name = name
      work()
    }
  }

  private static func main(_ body: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let body else { return nil }
    Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
    return nil
  }
}

/// The system has no thread.
package struct DetachedThreadFailure: Error {
  package let code: Int32

  package var reason: String { "no thread: \(String(cString: strerror(code)))" }
}
