#if !canImport(Darwin)
import Glibc

/// The failure of the system to create a descriptor or a thread for a loop.
struct CurlFault: Error {
  let reason: String

  /// Describes a failed system call by its `errno`.
  init(_ what: String, code: Int32 = errno) {
    reason = "\(what): \(String(cString: strerror(code)))"
  }
}
#endif
