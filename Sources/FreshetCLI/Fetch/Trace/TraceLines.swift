import Foundation
import Freshet

/// The network traffic as the lines that `curl -v` prints, with secrets hidden.
///
/// Remarks begin with `*`, what is sent with `>`, what is received with `<`. Of data, the count of the first
/// piece is told.
struct TraceLines {
  #if canImport(Darwin)
  /// The kind of a piece.
  enum Kind {
    case text
    case requestHead
    case responseHead
    case sentData
    case receivedData
  }
  #else
  typealias Kind = CurlTrace
  #endif

  private var isDataTold = false

  mutating func lines(_ kind: Kind, _ bytes: some Collection<UInt8>) -> [String] {
    switch kind {
    case .text, .requestHead, .responseHead:
      isDataTold = false
      let sign = kind == .text ? "*" : kind == .requestHead ? ">" : "<"
      return Self.split(bytes)
        .map { "\(sign) \(Printable.line(Self.shown($0, kind)))" }
    case .sentData, .receivedData:
      guard !isDataTold else { return [] }
      isDataTold = true
      return ["\(kind == .sentData ? "}" : "{") [\(bytes.count) bytes data]"]
    }
  }

  /// The lines without their ends.
  private static func split(_ bytes: some Collection<UInt8>) -> [String] {
    var lines = Array(bytes).split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines.map { line in
      String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
    }
  }

  private static func shown(_ line: String, _ kind: Kind) -> String {
    if kind == .text { return shown(remark: line) }
    if let field = field(line) { return field }
    // The first line of a request: method, target, protocol.
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard kind == .requestHead, words.count == 3 else { return line }
    return "\(words[0]) \(SecretRules.standard.redacted(url: String(words[1]))) \(words[2])"
  }

  /// The line of a header field, its secrets hidden; `nil` if it is none.
  private static func field(_ line: some StringProtocol) -> String? {
    // Bytes, not characters: a combining mark behind the colon must not hide it.
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex else {
      return nil
    }
    let name = line[..<colon]
    guard name.utf8.allSatisfy(isNamePart) else { return nil }
    let value = String(decoding: line.utf8[colon...].dropFirst(), as: UTF8.self)
      .trimmingCharacters(in: .whitespaces)
    return HTTPHeaders.Field(name: HTTPHeaders.Name(String(name)), value: value).description
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !"()<>@,;:\\\"/[]?={}".utf8.contains(byte)
  }

  // MARK: Remarks

  /// A remark, which may name header fields in brackets, as `[authorization: …]`, and URLs.
  private static func shown(remark: String) -> String {
    // libcurl cuts long remarks.
    let isWhole = remark.hasSuffix("]")
    let isCut = !isWhole && remark.utf8.count >= 2_000
    for start in remark.indices where remark[start] == "[" && (isWhole || isCut) {
      var inner = remark[remark.index(after: start)...]
      if isWhole { inner = inner.dropLast() }
      let isPseudo = inner.hasPrefix(":")
      if isPseudo { inner = inner.dropFirst() }
      guard let field = field(inner) else { continue }
      let shown =
        isPseudo
        ? ":" + inner.prefix { $0 != ":" } + ": "
          + SecretRules.standard.redacted(url: value(of: inner))
        : field
      return "\(remark[...start])\(shown)]"
    }
    return withoutSecretURLs(withoutProxyLogin(remark))
  }

  /// The remark on a proxy of the environment, whose URL may have no scheme.
  private static func withoutProxyLogin(_ remark: String) -> String {
    guard remark.hasPrefix("Uses proxy env variable"), !remark.contains("://"),
      let quote = remark.firstIndex(of: "'"), let at = remark.lastIndex(of: "@"), quote < at
    else { return remark }
    return "\(remark[...quote])<redacted>\(remark[at...])"
  }

  private static func value(of field: Substring) -> String {
    String(field.drop { $0 != ":" }.dropFirst()).trimmingCharacters(in: .whitespaces)
  }

  private static func withoutSecretURLs(_ text: String) -> String {
    var shown = ""
    var rest = text[...]
    while let mark = rest.range(of: "://") {
      let scheme = rest[..<mark.lowerBound].reversed().prefix { $0.isLetter || $0.isNumber }.count
      let start = rest.index(mark.lowerBound, offsetBy: -scheme)
      let end =
        rest[mark.upperBound...].firstIndex { " '\"\t".contains($0) } ?? rest.endIndex
      shown += rest[..<start] + SecretRules.standard.redacted(url: String(rest[start..<end]))
      rest = rest[end...]
    }
    return shown + rest
  }
}
