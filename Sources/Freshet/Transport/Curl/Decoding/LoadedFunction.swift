#if os(Linux)
import Glibc

/// A function of a library that is in the process without being imported.
enum LoadedFunction {
  static func named(_ name: String) -> UnsafeMutableRawPointer? {
    // The handle of the whole process, which the C library calls null.
    dlsym(nil, name)
  }
}
#endif
