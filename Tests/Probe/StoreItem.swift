import Foundation
import Freshet
import FreshetTesting

/// One of the responses that the probes keep: which, which version of its body, which of its head.
///
/// All of it follows from the three numbers.
struct StoreItem: Sendable, Equatable, CustomStringConvertible {
  let number: Int
  var version: Int
  var refresh = 0

  var url: URL { URL(string: "https://example.org/item/\(number)") ?? URL(filePath: "/") }

  var key: CacheKey { CacheKey(Request(.get, url)) }

  var description: String { "\(version).\(refresh)" }

  /// Reads what ``description`` wrote.
  init?(number: Int, _ text: some StringProtocol) {
    let parts = text.split(separator: ".").compactMap { Int($0) }
    guard parts.count == 2 else { return nil }
    self.init(number: number, version: parts[0], refresh: parts[1])
  }

  init(number: Int, version: Int, refresh: Int = 0) {
    self.number = number
    self.version = version
    self.refresh = refresh
  }

  /// More than a head, a key and an overhead take.
  static let headCost = 1_000
  static let largestCost = 60_000 + headCost

  /// Every third body is large enough for a file.
  var body: Data {
    let count = number % 3 == 0 ? 20_000 + (version * 7_919) % 40_000 : 10 + version % 3_000
    var state = UInt64(number &* 1_000_003 &+ version) &* 0x9E37_79B9_7F4A_7C15 | 1
    var data = Data(count: count)
    data.withUnsafeMutableBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        withUnsafeBytes(of: state) { word in
          let part = min(8, bytes.count - offset)
          bytes[offset..<offset + part].copyBytes(from: word[..<part])
        }
        offset += 8
      }
    }
    return data
  }

  /// The item as a server would send it.
  func answer(isResumable: Bool) -> ScriptedResponse {
    let body = body
    return ScriptedResponse(
      headers: [
        .eTag: "\"\(version)\"", "X-State": description, .cacheControl: "max-age=60",
        .contentLength: String(body.count), "Accept-Ranges": isResumable ? "bytes" : "none",
      ],
      chunks: [body.prefix(body.count / 2), body.dropFirst(body.count / 2)]
    )
  }

  func response(body: ResourceBody? = nil) -> StoredResponse {
    StoredResponse(
      key: key,
      varying: .none,
      head: ResponseHead(
        status: .ok,
        headers: [.eTag: "\"\(version)\"", "X-State": description],
        url: url
      ),
      body: body ?? ResourceBody(self.body),
      requestTime: Date(),
      responseTime: Date()
    )
  }

  /// What a response that was found is; `nil` if its parts do not belong together.
  init?(number: Int, _ found: StoredResponse) throws {
    guard let text = found.head.headers["X-State"], let item = StoreItem(number: number, text),
      found.head.url == item.url, found.head.headers[.eTag] == "\"\(item.version)\"",
      try found.body.data() == item.body
    else { return nil }
    self = item
  }
}
