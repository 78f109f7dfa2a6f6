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
    for (index, segment) in segments.enumerated() {
      let token: Token
      do throws(Problem) {
        token = try Self.token(segment)
        if token == .rest, index < segments.count - 1 { throw Problem("has “**” before its end") }
      } catch {
        throw Router.InvalidRoute(pattern: pattern, reason: error.reason)
      }
      tokens.append(token)
    }
    self.tokens = tokens
  }

  private struct Problem: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }
  }

  private static func token(_ segment: Substring.UTF8View) throws(Problem) -> Token {
    if segment.elementsEqual("#".utf8) { return .digits }
    if segment.elementsEqual("*".utf8) { return .any }
    if segment.elementsEqual("**".utf8) { return .rest }
    guard !segment.isEmpty else { throw Problem("has an empty segment") }
    if segment.contains(where: { "*#".utf8.contains($0) }) {
      throw Problem("mixes “*” or “#” with text; write “%2A” or “%23” for the character")
    }
    if segment.contains(UInt8(ascii: "?")) {
      throw Problem("has a query, which does not take part in matching")
    }
    if segment.first == UInt8(ascii: ":") {
      throw Problem("has a segment that begins with “:”; write “*”, or “%3A” for the character")
    }
    if segment.contains(where: ASCII.isControl) {
      throw Problem("has a control character")
    }
    guard PercentEncoding.isValid(segment) else {
      throw Problem("has a “%” that does not begin an encoded byte; write “%25”")
    }
    let literal = PercentEncoding.decoded(segment)
    if literal == [0x2E] || literal == [0x2E, 0x2E] {
      throw Problem("has “.” or “..” as a segment")
    }
    return .literal(literal)
  }
}
