import Foundation

/// Under what a response is stored: scheme, host, port, path and query, and the method unless it is
/// `GET` or `HEAD`, which share their entries (RFC 9111 section 2).
///
/// Keys of different partitions never meet: an app that signs users in and out names the user.
public struct CacheKey: Sendable, Hashable {
  /// The key as text, stable between versions: stores persist it.
  public let text: String

  /// Makes the key of a request.
  ///
  /// - Parameters:
  ///   - request: The request; its URL's fragment does not count.
  ///   - partition: What separates entries of the same URL, such as a user's name; `""` by default.
  public init(_ request: Request, partition: String = "") {
    var text = request.url.absoluteString
    if let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) {
      text = String(text[..<fragment])
    }
    if request.method != .get, request.method != .head {
      text = "\(request.method) \(text)"
    }
    self.text = partition.isEmpty ? text : "\(partition)\n\(text)"
  }

  /// Makes a key of text that ``text`` once was.
  public init(text: String) {
    self.text = text
  }
}
