import FreshetEssentials

/// A scanner of JSON text that makes no values.
///
/// It checks the structure, not the numbers; a decoder parses the values that it finds.
struct JSONScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var depth = 0

  /// The place and the reason of a syntax error.
  struct Fault: Error {
    let offset: Int
    let reason: String
  }

  /// The largest depth, the same as that of Foundation's decoder.
  static let depthLimit = 512

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// Scans all of the data.
  static func scan<Found>(
    _ data: Data,
    _ body: (inout JSONScanner) throws(Fault) -> Found
  ) throws(Fault) -> Found {
    let result: Result<Found, Fault> = data.withUnsafeBytes { buffer in
      buffer.withMemoryRebound(to: UInt8.self) { bytes in
        Result { () throws(Fault) in
          var scanner = JSONScanner(bytes)
          let found = try body(&scanner)
          scanner.skipSpace()
          guard scanner.index == bytes.count else { throw scanner.fault("more than one value") }
          return found
        }
      }
    }
    return try result.get()
  }

  /// Returns the range of the value at a path, as offsets from the data's start, or `nil` if there is none.
  ///
  /// The first of repeated keys counts.
  static func range(of path: PayloadPath, in data: Data) throws(Fault) -> Range<Int>? {
    try scan(data) { (scanner) throws(Fault) in try scanner.find(path.steps[...]) }
  }

  /// Returns the syntax error in the text, or `nil`.
  static func fault(in data: Data) -> Fault? {
    do throws(Fault) {
      _ = try range(of: PayloadPath(), in: data)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the number of elements of the array, or `nil` if the text is something else.
  static func elementCount(in data: Data) throws(Fault) -> Int? {
    try scan(data) { (scanner) throws(Fault) in try scanner.countElements() }
  }
}

// MARK: - Finding

extension JSONScanner {
  private mutating func find(_ steps: ArraySlice<String>) throws(Fault) -> Range<Int>? {
    skipSpace()
    guard let step = steps.first else {
      let start = index
      try skipValue()
      return start..<index
    }
    switch peek {
    case UInt8(ascii: "{"):
      return try findMember(step, steps.dropFirst())
    case UInt8(ascii: "["):
      return try findElement(ASCII.integer(step).map(Int.init) ?? .max, steps.dropFirst())
    default:
      try skipValue()
      return nil
    }
  }

  private mutating func findMember(
    _ key: String,
    _ rest: ArraySlice<String>
  ) throws(Fault) -> Range<Int>? {
    var found: Range<Int>?
    var isFound = false
    try forEachMember { (scanner, keyRange) throws(Fault) in
      guard !isFound, scanner.isKey(key, at: keyRange) else { return try scanner.skipValue() }
      isFound = true
      found = try scanner.find(rest)
    }
    return found
  }

  private mutating func findElement(
    _ position: Int,
    _ rest: ArraySlice<String>
  ) throws(Fault) -> Range<Int>? {
    var found: Range<Int>?
    var count = 0
    try forEachElement { (scanner) throws(Fault) in
      defer { count += 1 }
      guard count == position else { return try scanner.skipValue() }
      found = try scanner.find(rest)
    }
    return found
  }

  private mutating func countElements() throws(Fault) -> Int? {
    skipSpace()
    guard peek == UInt8(ascii: "[") else {
      try skipValue()
      return nil
    }
    var count = 0
    try forEachElement { (scanner) throws(Fault) in
      count += 1
      try scanner.skipValue()
    }
    return count
  }

  /// Returns a Boolean value that indicates whether the string between the quotation marks is the
  /// key, with its escapes decoded.
  private func isKey(_ key: String, at range: Range<Int>) -> Bool {
    let raw = bytes[range]
    guard raw.contains(ASCII.backslash) else { return raw.elementsEqual(key.utf8) }
    return text(ofKeyAt: range).utf8.elementsEqual(key.utf8)
  }

  /// Returns the string between the quotation marks, with its escapes decoded if they are valid.
  func text(ofKeyAt range: Range<Int>) -> String {
    let raw = bytes[range]
    let quoted = Data(bytes[range.lowerBound - 1..<range.upperBound + 1])
    let text =
      raw.contains(ASCII.backslash) ? try? JSONDecoder().decode(String.self, from: quoted) : nil
    return text ?? String(decoding: raw, as: UTF8.self)
  }

  /// Skips the next value, and returns its bytes.
  mutating func skippedValue() throws(Fault) -> Slice<UnsafeBufferPointer<UInt8>> {
    skipSpace()
    let start = index
    try skipValue()
    return bytes[start..<index]
  }
}

// MARK: - Skipping

extension JSONScanner {
  var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func fault(_ reason: String) -> Fault {
    Fault(
      offset: min(index, bytes.count),
      reason: index < bytes.count ? reason : "it ends too soon"
    )
  }

  mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x0A, 0x0D, 0x09: index += 1
      default: return
      }
    }
  }

  private mutating func take(_ character: Unicode.Scalar) throws(Fault) {
    guard peek == UInt8(ascii: character) else { throw fault("“\(character)” is expected") }
    index += 1
  }

  private mutating func skipValue() throws(Fault) {
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"):
      try forEachMember { (scanner, _) throws(Fault) in try scanner.skipValue() }
    case UInt8(ascii: "["):
      try forEachElement { (scanner) throws(Fault) in try scanner.skipValue() }
    case ASCII.quote:
      _ = try skipString()
    default:
      try skipWord()
    }
  }

  /// Skips a number, `true`, `false` or `null`.
  private mutating func skipWord() throws(Fault) {
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
        index += 1
        continue
      default: break
      }
      break
    }
    guard index > start else { throw fault("a value is expected") }
    guard bytes[start] >= UInt8(ascii: "a") else { return }
    let isKnown = ["true", "false", "null"].contains { $0.utf8.elementsEqual(bytes[start..<index]) }
    guard isKnown else {
      index = start
      throw fault("a value is expected")
    }
  }

  /// Skips a string and returns the range between its quotation marks.
  private mutating func skipString() throws(Fault) -> Range<Int> {
    try take("\"")
    let start = index
    while index < bytes.count {
      switch bytes[index] {
      case ASCII.quote:
        index += 1
        return start..<index - 1
      case ASCII.backslash: index += 2
      default: index += 1
      }
    }
    throw fault("")
  }

  mutating func forEachMember(
    _ body: (inout JSONScanner, Range<Int>) throws(Fault) -> Void
  ) throws(Fault) {
    try forEachPart("{", "}") { (scanner) throws(Fault) in
      let key = try scanner.skipString()
      scanner.skipSpace()
      try scanner.take(":")
      try body(&scanner, key)
    }
  }

  mutating func forEachElement(
    _ body: (inout JSONScanner) throws(Fault) -> Void
  ) throws(Fault) {
    try forEachPart("[", "]", body)
  }

  private mutating func forEachPart(
    _ open: Unicode.Scalar,
    _ close: Unicode.Scalar,
    _ body: (inout JSONScanner) throws(Fault) -> Void
  ) throws(Fault) {
    try take(open)
    depth += 1
    guard depth <= Self.depthLimit else { throw fault("it is nested too deeply") }
    skipSpace()
    if peek != UInt8(ascii: close) {
      while true {
        skipSpace()
        try body(&self)
        skipSpace()
        guard peek == ASCII.comma else { break }
        index += 1
      }
    }
    try take(close)
    depth -= 1
  }
}
