#if os(Linux)
import CCurl
import Foundation

/// The header lines of a request as libcurl wants them, made where the caller is.
///
/// Unchecked: the list is made in the initialiser, only read afterwards, by the loop, and freed
/// with the last reference, when no transfer uses it any more.
final class CurlFields: @unchecked Sendable {
  private(set) var list: UnsafeMutablePointer<curl_slist>?
  /// Whether encoded bodies are asked for and decoded.
  let decodes: Bool

  init(_ request: Request) {
    let headers = request.headers
    // The part that a range names is one of the encoded form, which cannot be decoded alone.
    decodes = !headers.contains(.acceptEncoding) && !headers.contains(.range)
    if decodes { append("Accept-Encoding: \(ContentDecoder.offer)") }
    for field in headers where field.name != .contentLength && field.name != .transferEncoding {
      append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if let body = request.body {
      if let type = body.contentType, !headers.contains(.contentType) {
        append("Content-Type: \(type)")
      }
      if !headers.contains("Expect") { append("Expect:") }
    } else if [.post, .put, .patch].contains(request.method) {
      append("Content-Length: 0")
    }
  }

  deinit {
    curl_slist_free_all(list)
  }

  private func append(_ line: String) {
    if let longer = curl_slist_append(list, line) { list = longer }
  }
}
#endif
