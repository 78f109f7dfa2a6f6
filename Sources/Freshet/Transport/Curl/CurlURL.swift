#if !canImport(Darwin)
import CCurl
import FreshetEssentials

/// The URL of a request in libcurl's form, parsed on the caller's thread.
///
/// libcurl would parse a text on the loop's thread, and put it together again from its parts. From a
/// parsed URL it only copies the parts.
///
/// It is `@unchecked Sendable` because it cannot be copied, and is only read after the initialiser.
struct CurlURL: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer?
  /// A Boolean value that indicates whether the scheme, which is `http` or `https`, is `https`.
  let isSecure: Bool
  /// The reason why libcurl does not accept the URL, or `nil`.
  let problem: String?

  init(_ url: URL) {
    let text = url.absoluteString
    isSecure = text.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
    pointer = curl_url()
    let pointer = pointer
    let code = text.withCString { curl_url_set(pointer, CURLUPART_URL, $0, Self.options) }
    problem = code == CURLUE_OK ? nil : String(cString: curl_url_strerror(code))
  }

  deinit {
    curl_url_cleanup(pointer)
  }

  private static let options = UInt32(CURLU_PATH_AS_IS)
}
#endif
