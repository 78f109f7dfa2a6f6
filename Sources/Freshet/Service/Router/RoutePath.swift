import FreshetEssentials

/// The segments of a URL's path, split before their percent-encoding is decoded.
struct RoutePath {
  fileprivate let bytes: UnsafeBufferPointer<UInt8>
  fileprivate let ranges: UnsafeMutableBufferPointer<Range<Int>>

  var count: Int { ranges.count }

  subscript(position: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: bytes[ranges[position]])
  }

  /// Splits a URL's path, without an allocation unless it is percent-encoded.
  ///
  /// - Returns: The result of `body`, or `nil` if the path has an empty segment.
  static func with<Result>(_ url: URL, _ body: (RoutePath) -> Result?) -> Result? {
    var text = url.absoluteString
    return text.withUTF8 { text in
      let extent = Extent(of: text)
      return withUnsafeTemporaryAllocation(
        of: Range<Int>.self,
        capacity: extent.segmentCount
      ) { ranges in
        var start = extent.start
        for position in ranges.indices {
          var end = start
          while end < extent.end, text[end] != slash { end += 1 }
          guard start < end else { return nil }
          ranges.initializeElement(at: position, to: start..<end)
          start = end + 1
        }
        let route = RoutePath(bytes: text, ranges: ranges)
        return extent.isEncoded ? route.decoded(body) : body(route)
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

  /// The part between the slash after the host and the query, found in one pass.
  private struct Extent {
    var start = 0
    var end = 0
    var segmentCount = 0
    /// A Boolean value that indicates whether it contains a percent sign.
    var isEncoded = false

    init(of text: UnsafeBufferPointer<UInt8>) {
      start = Self.end(ofHost: text)
      if start < text.count, text[start] == slash { start += 1 }
      end = start
      while end < text.count, !isEnd(text[end]) {
        if text[end] == slash { segmentCount += 1 }
        if text[end] == percent { isEncoded = true }
        end += 1
      }
      // One trailing slash is ignored.
      if end > start, text[end - 1] != slash { segmentCount += 1 }
    }

    /// Returns the start of the path: after `scheme://host`, if there is one.
    private static func end(ofHost text: UnsafeBufferPointer<UInt8>) -> Int {
      var position = 0
      while position < text.count, text[position] != colon, text[position] != slash,
        !isEnd(text[position])
      { position += 1 }
      guard text.count - position >= 3, text[position] == colon, text[position + 1] == slash,
        text[position + 2] == slash
      else { return 0 }
      position += 3
      while position < text.count, text[position] != slash, !isEnd(text[position]) {
        position += 1
      }
      return position
    }
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static let colon = UInt8(ascii: ":")
  private static let slash = UInt8(ascii: "/")
  private static let percent = UInt8(ascii: "%")
}
