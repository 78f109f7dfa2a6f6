#if !canImport(Darwin)
import Glibc

/// Looks up functions of libraries that are not linked.
enum LoadedFunction {
  static func named(_ name: String) -> UnsafeMutableRawPointer? {
    // On Linux, `RTLD_DEFAULT`, the handle of the whole process, is null.
    dlsym(nil, name)
  }

  /// Returns a function of the process, or of a library that is loaded if necessary and never unloaded.
  static func named(_ name: String, in library: String) -> UnsafeMutableRawPointer? {
    named(name) ?? dlopen(library, RTLD_NOW | RTLD_LOCAL).flatMap { dlsym($0, name) }
  }
}
#endif
