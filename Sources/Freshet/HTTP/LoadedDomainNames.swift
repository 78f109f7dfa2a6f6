#if !canImport(Darwin)
import FreshetEssentials

/// Converts domain names by `libidn2`, which is looked up at run time; libcurl brings it along.
enum LoadedDomainNames {
  private typealias ToASCII =
    @convention(c) (
      UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, CInt
    ) -> CInt

  // The type matches that of idn2.h, which is unchanged since version 2.0.
  private static let convert: ToASCII? =
    LoadedFunction.named("idn2_to_ascii_8z", in: "libidn2.so.0")

  /// Returns a name in ASCII (UTS 46, nontransitional); `nil` if it is not valid, or without the library.
  static func ascii(_ name: String) -> String? {
    let composing: CInt = 1
    let nontransitional: CInt = 8
    var text: UnsafeMutablePointer<CChar>?
    guard let convert, convert(name, &text, composing | nontransitional) == 0, let text else {
      return nil
    }
    defer { free(text) }
    return String(cString: text)
  }
}
#endif
