import Foundation

/// The segments of a URL's path: taken apart first, then with their percent-encoding undone.
struct RoutePath {
  fileprivate let bytes: UnsafeBufferPointer<UInt8>
  fileprivate let ranges: UnsafeMutableBufferPointer<Range<Int>>

  var count: Int { ranges.count }

  subscript(position: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[ranges[position]])
  }

  /// Takes a URL's path apart, without allocating unless something is encoded.
  ///
  /// - Returns: What `body` returns, or `nil` if the path has an empty segment.
  static func with<Result>(_ url: URL, _ body: (RoutePath) -> Result?) -> Result? {
    var text = url.absoluteString
    return text.withUTF8 { text in
      let path = path(of: text)
      let count = path.isEmpty ? 0 : path.count { $0 == slash } + (path.last == slash ? 0 : 1)
      return withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: count) { ranges in
        var start = path.startIndex
        for position in ranges.indices {
          let end = path[start...].firstIndex(of: slash) ?? path.endIndex
          guard start < end else { return nil }
          ranges.initializeElement(at: position, to: start..<end)
          start = min(end + 1, path.endIndex)
        }
        let route = RoutePath(bytes: text, ranges: ranges)
        return path.contains(percent) ? route.decoded(body) : body(route)
      }
    }
  }

  private func decoded<Result>(_ body: (RoutePath) -> Result?) -> Result? {
    var decoded: [UInt8] = []
    for position in ranges.indices {
      let start = decoded.count
      decoded += PercentEncoding.decoded(bytes[ranges[position]])
      ranges[position] = start..<decoded.count
    }
    return decoded.withUnsafeBufferPointer { body(RoutePath(bytes: $0, ranges: ranges)) }
  }

  /// What stands between the slash after the host and the query.
  private static func path(
    of text: UnsafeBufferPointer<UInt8>
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    let end =
      text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
    var path = text[..<end]
    if let colon = path.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == slash }),
      path[colon...].starts(with: "://".utf8)
    {
      let host = path[colon...].dropFirst(3)
      path = host[(host.firstIndex(of: slash) ?? host.endIndex)...]
    }
    return path.first == slash ? path.dropFirst() : path
  }

  private static let slash = UInt8(ascii: "/")
  private static let percent = UInt8(ascii: "%")
}
