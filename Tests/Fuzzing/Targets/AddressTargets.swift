import Foundation

@testable import Freshet

#if !canImport(Darwin)
import CCurl
#endif

extension FuzzTarget {
  /// Where requests go, and where answers send them.
  static let addressTargets: [FuzzTarget] = [
    FuzzTarget(
      "url",
      words: [
        "http://", "https://", "@", ":", "[::1]", "%2e", "\\", "/", "?", "#", "user:pass@", "//",
        "127.0.0.1", "0x7f", "%00", "%0d%0a", "。", "%25", "[::", "ｅ", "0177", "..",
      ],
      seeds: [
        "https://a.example:8080/b?c=d#e", "http://[::1]:80/", "http://a@b/", "http://a%2eb/",
        "http://a/\u{E4}?\u{E4}", "http://0x7f.1/", "http://[0:0::%31]/", "http://a.1.2.3.4/",
      ],
      check: checkURL
    ),
    FuzzTarget(
      "redirect",
      words: [
        "http://", "https://", "//", "@", "file:///", "javascript:", "\\", "/..", "a.example",
        ":443", "?", "#",
      ],
      seeds: [
        "/b", "//b.example/c", "https://a.example:443/x", "http://a.example/", "file:///etc",
      ],
      check: checkRedirect
    ),
  ]
}

private func checkURL(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let shown = URLParts(Redaction.shown(text))
  try hold(shown?.userInfo == nil, "a user is shown")
  try hold(shown?.scheme.utf8.contains(UInt8(ascii: "@")) != true, "a user is shown as a scheme")
  guard let request = try? Request(text) else { return }
  let url = request.url.absoluteString
  try hold(url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL holds what must be encoded")
  guard let origin = URLOrigin(request.url) else { throw Broken("\(url) has no origin") }
  let again = try Request(url)
  try hold(again.url == request.url, "a URL, read again, is another one")
  try agree(url, origin)
  try hold(Redaction.shown(request.url).hasPrefix(url.prefix(7)), "it is shown as another one")
}

/// Whether libcurl, which connects, sees the same scheme, host and port as whoever decides what is
/// sent there.
private func agree(_ url: String, _ origin: URLOrigin) throws {
  #if !canImport(Darwin)
  guard let handle = curl_url() else { return }
  defer { curl_url_cleanup(handle) }
  try hold(
    curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK,
    "libcurl does not take \(url)"
  )
  let scheme = part(handle, CURLUPART_SCHEME)
  let host = part(handle, CURLUPART_HOST)
  let port = part(handle, CURLUPART_PORT, UInt32(CURLU_DEFAULT_PORT))
  try hold(part(handle, CURLUPART_USER) == nil, "\(url) has a user to libcurl")
  try hold(scheme == origin.scheme, "\(url) has the scheme \(scheme ?? "") to libcurl")
  try hold(port == String(origin.port), "\(url) has the port \(port ?? "") to libcurl")
  // Pins, cookies and credentials belong to the host that is asked, in whatever way it is written.
  let isSame = host.map { ASCII.lowercased($0) == origin.host } ?? false
  try hold(isSame, "\(url) has the host \(host ?? "") to libcurl")
  #endif
}

#if !canImport(Darwin)
private func part(_ handle: OpaquePointer, _ part: CURLUPart, _ flags: UInt32 = 0) -> String? {
  var text: UnsafeMutablePointer<CChar>?
  guard curl_url_get(handle, part, &text, flags) == CURLUE_OK, let text else { return nil }
  defer { curl_free(text) }
  return String(cString: text)
}
#endif

private let secrets: [HTTPHeaders.Name] = [
  "Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization", "X-Session-Token", "Host",
]

private func checkRedirect(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let choice = input.byte()
  let location = input.allText()
  let bases = ["https://a.example/d/f?q#g", "http://a.example:8080/", "https://[::1]/"]
  guard let base = URL(string: bases[Int(choice & 3) % 3]) else { return }
  var request = Request(choice & 4 == 0 ? .get : .post, base)
  for name in secrets { request.headers[name] = "secret" }
  request.headers["Content-Type"] = "a/b"
  request.headers["Accept"] = "a/b"
  if choice & 4 != 0 { request.body = .bytes(Data("b".utf8)) }
  request.redirects = RedirectPolicy(maximumCount: 5, allowsDowngrade: choice & 8 != 0)
  let codes = [301, 302, 303, 307, 308]
  let head = ResponseHead(
    status: HTTPStatus(codes[Int(choice >> 4) % codes.count]),
    headers: ["Location": location],
    url: base
  )
  let decision = request.redirects.decision(for: request, head: head, visited: [])
  guard case .follow(let next, let redirect) = decision else { return }
  try hold(next.url == redirect.target, "it goes elsewhere than it says")
  try hold(["http", "https"].contains(next.url.scheme?.lowercased()), "it leaves the web")
  if base.scheme == "https", choice & 8 == 0 {
    try hold(next.url.scheme?.lowercased() == "https", "it is no longer secret")
  }
  try hold(next.headers["Accept"] == "a/b", "a field was lost")
  try hold(next.body == nil || next.method == .post, "a GET has a body")
  let keeps = secrets.contains { next.headers.contains($0) }
  try hold((try? next.validate()) != nil, "it leads to \(next.url), which is not asked")
  guard let origin = URLOrigin(next.url), let old = URLOrigin(base) else {
    throw Broken("\(next.url) has no origin")
  }
  try hold(keeps == (origin == old), "secrets go to \(next.url), or not to their own origin")
  try agree(next.url.absoluteString, origin)
}
