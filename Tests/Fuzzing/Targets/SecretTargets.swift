import Foundation

@testable import Freshet

extension FuzzTarget {
  /// What hides secrets, with one among bytes that want to show it.
  static let secretTargets: [FuzzTarget] = [
    FuzzTarget(
      "redaction",
      words: ["&", "=", "?", "#", "token=", "\u{301}", "\"", "<", ">", ":", "{", "}", "\\"],
      seeds: ["a=b\u{FF}c=d", "\u{301}\u{FF}\u{301}"],
      check: checkRedaction
    ),
    FuzzTarget(
      "curl-command",
      words: ["'", "\\", "\u{301}", "$(", "`", "\n", ";", " ", "!"],
      seeds: ["it's\u{FF}a b", "'\u{301}; x '\u{301}"],
      check: checkCommand
    ),
  ]
}

private let canary = "c4n4ry0fThE9mine"

private func checkRedaction(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let (before, after) = (input.text(), input.text())
  guard !shows(before), !shows(after) else { return }
  let rules = SecretRules.standard
  let form = rules.redacted(
    body: "\(before)&password=\(canary)&\(after)",
    contentType: "application/x-www-form-urlencoded"
  )
  try hides(form)
  try hides(rules.redacted(url: "https://a/?\(before)&token=\(canary)&\(after)"))
  try hides(rules.redacted(url: "https://a/?token=\(plain(after))\(canary)"))
  try hides(rules.redacted(url: "https://a/#access_token=\(canary)&\(after)"))
  try hides(rules.redacted(["Location": "/\(plain(before))?token=\(canary)&\(after)"]).description)
  try hides(Redaction.shown("https://a/\(plain(before))?\(plain(after))\(canary)"))
  try hides(Redaction.shown("https://u:\(canary)@a/\(after)"))
  if let data = try? JSONEncoder().encode([before, after]) {
    let strings = String(decoding: data, as: UTF8.self).dropFirst().dropLast()
    let json = "{\"a\":[\(strings)],\"password\":\"\(canary)\",\"b\":[\(strings)]}"
    try hides(rules.redacted(body: json, contentType: "application/json"))
    let nested = "[{\"access_token\":{\"a\":[\(strings),\"\(canary)\"]}},\(strings)]"
    try hides(rules.redacted(body: nested, contentType: "application/json"))
    try hides(rules.redacted(body: json, contentType: nil))
  }
  // Whatever the text is, it is read to its end.
  let text = String(decoding: bytes, as: UTF8.self)
  for type in ["application/json", "text/html", nil] {
    _ = rules.redacted(body: text, contentType: type)
  }
  let ranges = SecretMask.ranges(in: bytes)
  try hold(ranges.allSatisfy { $0.upperBound <= bytes.count }, "a secret is outside")
  try hold(
    zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound },
    "secrets overlap"
  )
}

/// Without what begins a query or a fragment, which would make the rest something else.
private func plain(_ text: String) -> String {
  let scalars = text.unicodeScalars.filter { !"?#&=\r\n".unicodeScalars.contains($0) }
  return String(String.UnicodeScalarView(scalars))
}

private func hides(_ text: String) throws(Broken) {
  try hold(!shows(text), "a secret is shown: \(text)")
}

/// By bytes: whoever reads a log does not ask where its characters end.
private func shows(_ text: String) -> Bool {
  text.utf8.count >= canary.utf8.count && text.utf8.firstRange(of: canary.utf8) != nil
}

private func checkCommand(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let (value, body) = (input.text(), input.text())
  var request = Request(.post, somewhere, body: .bytes(Data(body.utf8)))
  request.headers["X-A"] = value
  let command = request.curlCommand(redacting: .none)
  if body.utf8.contains(0) { return }
  guard let words = shellWords(command) else { throw Broken("a shell would go on: \(command)") }
  var expected: [[UInt8]] = ["curl", "--header"].map { Array($0.utf8) }
  let field = HTTPHeaders.Field(name: "X-A", value: value)
  expected.append(Array((field.value.isEmpty ? "X-A;" : "X-A: \(field.value)").utf8))
  try hold(words.starts(with: expected), "a shell would read other words: \(command)")
  try hold(words.contains(Array(body.utf8)), "a shell would read another body: \(command)")
}

/// The words that a POSIX shell makes of a command in which nothing is expanded; `nil` if something is.
private func shellWords(_ command: String) -> [[UInt8]]? {
  var words: [[UInt8]] = []
  var word: [UInt8]?
  var isQuoted = false
  var isEscaped = false
  for byte in command.utf8 {
    switch byte {
    case _ where isEscaped:
      word = (word ?? []) + [byte]
      isEscaped = false
    case UInt8(ascii: "'"):
      isQuoted.toggle()
      word = word ?? []
    case _ where isQuoted: word = (word ?? []) + [byte]
    case ASCII.backslash: isEscaped = true
    case 0x20:
      word.map { words.append($0) }
      word = nil
    case _ where "\"$`;&|<>()!\n\t*?#~{}[]".utf8.contains(byte): return nil
    default: word = (word ?? []) + [byte]
    }
  }
  word.map { words.append($0) }
  return isQuoted || isEscaped ? nil : words
}
