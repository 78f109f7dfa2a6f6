/// Builds a path and checks its segments.
struct RequestPathBuilder {
  private var text = ""
  private var problem: String?
  private var isAtOrigin = false
  private var segment = ""
  private var segmentHasValue = false
  private var isInPath = true

  init(capacity: Int) {
    text.reserveCapacity(capacity)
  }

  mutating func append(literal: String) {
    text += literal
    guard isInPath else { return }
    var rest = literal[...]
    while let end = rest.utf8.firstIndex(where: { "/?#".utf8.contains($0) }) {
      segment += rest[..<end]
      endSegment()
      isInPath = rest.utf8[end] == UInt8(ascii: "/")
      guard isInPath else { return }
      rest = rest[rest.utf8.index(after: end)...]
    }
    segment += rest
  }

  mutating func append(value: String) {
    // A preceding `%` would combine with the digits of the value.
    if text.utf8.suffix(2).contains(UInt8(ascii: "%")) {
      problem = problem ?? "its path has a “%” before a value; write “%25”"
    }
    let encoded = PercentEncoding.url.encode(value)
    text += encoded
    guard isInPath else { return }
    segment += encoded
    segmentHasValue = true
  }

  mutating func append(segments: some Sequence<some StringProtocol>) {
    var isFirst = true
    for segment in segments {
      if !isFirst { append(literal: "/") }
      append(value: String(segment))
      isFirst = false
    }
    // No segments are as wrong as an empty one.
    if isFirst { append(value: "") }
  }

  mutating func append(path: RequestPath) {
    problem = problem ?? path.problem
    isAtOrigin = isAtOrigin || path.isAtOrigin && text.isEmpty
    append(literal: path.text)
  }

  mutating func finish() -> RequestPath {
    if isInPath { endSegment() }
    return RequestPath(text: text, problem: problem, isAtOrigin: isAtOrigin)
  }

  private mutating func endSegment() {
    if segment.isEmpty, segmentHasValue {
      problem = problem ?? "a value in its path is empty, which would remove its segment"
    } else if segment.utf8.count <= 6, [[0x2E], [0x2E, 0x2E]].contains(decodedSegment) {
      problem = problem ?? "a segment of its path is “.” or “..”, which would change the path"
    }
    segment = ""
    segmentHasValue = false
  }

  private var decodedSegment: [UInt8] { PercentEncoding.decoded(segment.utf8) }
}
