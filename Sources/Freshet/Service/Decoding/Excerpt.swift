import FreshetEssentials

/// A body for the descriptions of errors, of which a few words are shown.
struct Excerpt {
  /// The largest number of bytes that are shown.
  static let length = 120
  private static let before = 24

  private let rules: ValueRedaction
  private let data: Data
  private let bytes: [UInt8]
  private let secrets: [Range<Int>]
  /// The length of the part that was parsed; the rest is never shown.
  private let understood: Int

  /// Reads a body; the time is proportional to its size.
  init(_ data: Data, hiding rules: SecretRules = .standard) {
    self.data = data
    self.rules = rules.values
    bytes = [UInt8](data)
    let json = JSONRedaction(bytes, rules: self.rules)
    secrets = json.replacements.map(\.range)
    understood = json.length
  }

  /// Returns the beginning of a decoder's sentence about the body, secrets masked.
  func shown(_ sentence: String) -> String {
    let shown = rules.redacted(sentence) ?? sentence
    let bytes = [UInt8](shown.utf8)
    let window = Self.aligned(0..<min(Self.length, bytes.count), in: bytes)
    return Self.plain(bytes[window]) + (window.upperBound < bytes.count ? "…" : "")
  }

  /// Returns a path in the body, without the values of secrets.
  func shown(_ path: PayloadPath) -> String {
    // The description escapes what is in a key.
    PayloadPath(steps: path.steps.map { rules.secrets.hidden(in: $0) ?? $0 }).description
  }

  /// Returns the beginning, or the surroundings of the value at the path, secrets masked.
  func text(at path: PayloadPath = PayloadPath()) -> String {
    text(from: max(0, Self.start(of: path, in: data) - Self.before))
  }

  private func text(from place: Int) -> String {
    guard !bytes.isEmpty else { return "" }
    guard !bytes.prefix(Self.length).contains(0) else {
      return "\(bytes.count) bytes that are not text"
    }
    guard understood > 0 else { return "\(WithheldBody(data))" }
    let start = min(place, max(0, understood - Self.before))
    let window = Self.aligned(start..<min(start + Self.length, understood), in: bytes)
    return (window.lowerBound > 0 ? "…" : "") + masked(window)
      + (window.upperBound < bytes.count ? "…" : "")
  }

  /// Returns the start of the value, or of the innermost existing value that would contain it.
  private static func start(of path: PayloadPath, in data: Data) -> Int {
    var path = path
    while true {
      if let range = try? JSONScanner.range(of: path, in: data) {
        return path.isEmpty ? 0 : range.lowerBound
      }
      guard !path.isEmpty else { return faultOffset(in: data) }
      path.steps.removeLast()
    }
  }

  private static func faultOffset(in data: Data) -> Int {
    guard let first = data.first(where: { $0 > 0x20 }), "{[".utf8.contains(first) else { return 0 }
    return JSONScanner.fault(in: data)?.offset ?? 0
  }

  /// Returns the window without the incomplete characters at its ends.
  private static func aligned(_ window: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
    let isContinuation = { (index: Int) in index < bytes.count && bytes[index] & 0xC0 == 0x80 }
    var (start, end) = (window.lowerBound, window.upperBound)
    while start < end, isContinuation(start) { start += 1 }
    while end > start, isContinuation(end) { end -= 1 }
    return start..<end
  }

  private func masked(_ window: Range<Int>) -> String {
    var text = ""
    var position = window.lowerBound
    for secret in secrets where secret.overlaps(window) {
      text += Self.plain(bytes[position..<max(position, secret.lowerBound)])
      text += Redaction.placeholder
      position = min(secret.upperBound, window.upperBound)
    }
    return text + Self.plain(bytes[position..<window.upperBound])
  }

  /// Returns the text in one line.
  private static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    var line: [UInt8] = []
    for byte in bytes {
      let byte = ASCII.isControl(byte) ? 0x20 : byte
      if byte != 0x20 || line.last != 0x20 { line.append(byte) }
    }
    return String(decoding: line, as: UTF8.self)
  }
}
