#if !canImport(Darwin)
import FreshetEssentials

/// Loads the list of public suffixes of `libpsl`, which is looked up at run time.
///
/// The library is not needed to build, and everything works without it.
enum LoadedSuffixList {
  private typealias Latest = @convention(c) (UnsafePointer<CChar>?) -> OpaquePointer?
  private typealias Builtin = @convention(c) () -> OpaquePointer?
  private typealias IsSuffix = @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> CInt
  private typealias FileTime = @convention(c) () -> time_t
  private typealias FileName = @convention(c) () -> UnsafePointer<CChar>?

  /// A list that is never changed or freed.
  ///
  /// `psl_is_public_suffix` takes it as constant, so that several threads can read it.
  private struct Handle: @unchecked Sendable {
    let list: OpaquePointer
  }

  /// Loads the newer of the library's built-in list and the distribution's file; `nil` without the library.
  static func load() -> PublicSuffixList? {
    let library = "libpsl.so.5"
    // The types match those of libpsl.h, which are unchanged since version 0.16.
    guard let latest: Latest = LoadedFunction.named("psl_latest", in: library),
      let builtin: Builtin = LoadedFunction.named("psl_builtin", in: library),
      let isSuffix: IsSuffix = LoadedFunction.named("psl_is_public_suffix", in: library),
      let fileTime: FileTime = LoadedFunction.named("psl_builtin_file_time", in: library),
      let fileName: FileName = LoadedFunction.named("psl_dist_filename", in: library),
      let list = latest(nil) ?? builtin()
    else { return nil }
    let handle = Handle(list: list)
    let file = fileName().flatMap { time(ofFile: $0) } ?? 0
    return PublicSuffixList(date: Date(timeIntervalSince1970: Double(max(fileTime(), file)))) {
      isSuffix(handle.list, $0) == 1
    }
  }

  private static func time(ofFile path: UnsafePointer<CChar>) -> time_t? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return status.st_mtim.tv_sec
  }
}
#endif
