#if os(Linux)
import Glibc

/// A function of a library that is in the process without being imported.
enum LoadedFunction {
  static func named(_ name: String) -> UnsafeMutableRawPointer? {
    // The handle of the whole process, which the C library calls null.
    dlsym(nil, name)
  }

  /// The same, of a library that is loaded and stays if it is not in the process.
  static func named(_ name: String, in library: String) -> UnsafeMutableRawPointer? {
    named(name) ?? dlopen(library, RTLD_NOW | RTLD_LOCAL).flatMap { dlsym($0, name) }
  }
}
#endif
