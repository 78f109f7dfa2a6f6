/// The segments of a route's pattern.
struct RoutePattern {
  enum Token: Hashable {
    /// The segment with its percent-encoding decoded.
    case literal([UInt8])
    /// `#`
    case digits
    /// `*`
    case any
    /// `**`
    case rest
  }

  let tokens: [Token]

  init(_ pattern: String) throws(Router.InvalidRoute) {
    var text = pattern.utf8[...]
    if text.first == UInt8(ascii: "/") { text = text.dropFirst() }
    if text.count > 1, text.last == UInt8(ascii: "/") { text = text.dropLast() }
    guard !text.isEmpty else {
      tokens = []
      return
    }
    let segments = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    var tokens: [Token] = []
    for segment in segments {
      if let reason = tokens.last == .rest ? "has “**” before its end" : Self.problem(with: segment)
      {
        throw Router.InvalidRoute(pattern: pattern, reason: reason)
      }
      tokens.append(Self.token(segment))
    }
    self.tokens = tokens
  }

  private static func token(_ segment: Substring.UTF8View) -> Token {
    if segment.elementsEqual("#".utf8) { return .digits }
    if segment.elementsEqual("*".utf8) { return .any }
    if segment.elementsEqual("**".utf8) { return .rest }
    return .literal(PercentEncoding.decoded(segment))
  }

  /// Returns the reason why a segment is not valid, or `nil`.
  private static func problem(with segment: Substring.UTF8View) -> String? {
    if segment.isEmpty { return "has an empty segment" }
    guard case .literal(let literal) = token(segment) else { return nil }
    if segment.contains(where: { "*#".utf8.contains($0) }) {
      return "mixes “*” or “#” with text; write “%2A” or “%23” for the character"
    }
    if segment.contains(UInt8(ascii: "?")) {
      return "has a query, which does not take part in matching"
    }
    if segment.first == UInt8(ascii: ":") {
      return "has a segment that begins with “:”; write “*”, or “%3A” for the character"
    }
    if segment.contains(where: ASCII.isControl) { return "has a control character" }
    guard PercentEncoding.isValid(segment) else {
      return "has a “%” that does not begin an encoded byte; write “%25”"
    }
    let isRelative = literal == [0x2E] || literal == [0x2E, 0x2E]
    return isRelative ? "has “.” or “..” as a segment" : nil
  }
}
