#if !canImport(Darwin)
import Glibc

/// Looks up functions of libraries that are not linked.
enum LoadedFunction {
  /// Returns a function of the process, or of a library that is loaded if necessary and never unloaded.
  ///
  /// The type of the function must match its declaration in C.
  static func named<Function>(_ name: String, in library: String? = nil) -> Function? {
    // On Linux, `RTLD_DEFAULT`, the handle of the whole process, is null.
    let function =
      dlsym(nil, name)
      ?? library.flatMap { dlopen($0, RTLD_NOW | RTLD_LOCAL) }.flatMap { dlsym($0, name) }
    return function.map { unsafeBitCast($0, to: Function.self) }
  }
}
#endif
