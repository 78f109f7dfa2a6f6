import FreshetEssentials

/// A scanner of JSON text that makes no values.
///
/// It checks the structure, not the numbers; a decoder parses the values that it finds.
struct JSONScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  /// The brackets that close the objects and arrays around the next value, innermost last: calls
  /// of a function for each would need more stack than a thread has.
  private var closers: [UInt8] = []

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
    try scan(data) { (scanner) throws(Fault) in try scanner.find(path.steps) }
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
  private mutating func find(_ steps: [String]) throws(Fault) -> Range<Int>? {
    let found = try enter(steps) ? try skippedRange() : nil
    // The syntax of all that follows counts too.
    while !closers.isEmpty {
      while try hasNext() {
        if closers.last == Self.objectCloser { _ = try takeKey() }
        try skipValue()
      }
    }
    return found
  }

  /// Goes to the value at a path.
  ///
  /// - Returns: `false` if there is none.
  private mutating func enter(_ steps: [String]) throws(Fault) -> Bool {
    for step in steps where try !enter(step) { return false }
    return true
  }

  /// Goes to a value in the next one, or behind the next one if there is none.
  private mutating func enter(_ step: String) throws(Fault) -> Bool {
    skipSpace()
    switch peek {
    case UInt8(ascii: "{"):
      guard try beginObject() else { return false }
      repeat {
        if isKey(step, at: try takeKey()) { return true }
        try skipValue()
      } while try hasNext()
    case UInt8(ascii: "["):
      var remaining = ASCII.integer(step).map(Int.init) ?? .max
      guard try beginArray() else { return false }
      repeat {
        if remaining == 0 { return true }
        remaining -= 1
        try skipValue()
      } while try hasNext()
    default:
      try skipValue()
    }
    return false
  }

  private mutating func countElements() throws(Fault) -> Int? {
    skipSpace()
    guard peek == UInt8(ascii: "[") else {
      try skipValue()
      return nil
    }
    var count = 0
    guard try beginArray() else { return count }
    repeat {
      count += 1
      try skipValue()
    } while try hasNext()
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
    bytes[try skippedRange()]
  }

  private mutating func skippedRange() throws(Fault) -> Range<Int> {
    skipSpace()
    let start = index
    try skipValue()
    return start..<index
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

  mutating func skipValue() throws(Fault) {
    let outer = closers.count
    repeat {
      skipSpace()
      switch peek {
      case UInt8(ascii: "{"):
        if try beginObject() {
          _ = try takeKey()
          continue
        }
      case UInt8(ascii: "["):
        if try beginArray() { continue }
      case ASCII.quote:
        _ = try skipString()
      default:
        try skipWord()
      }
      while closers.count > outer, try !hasNext() {}
      if closers.count > outer, closers.last == Self.objectCloser { _ = try takeKey() }
    } while closers.count > outer
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
}

// MARK: - Objects and arrays

extension JSONScanner {
  static let objectCloser = UInt8(ascii: "}")

  /// Begins an object.
  ///
  /// - Returns: `false` if it is empty, and has ended.
  mutating func beginObject() throws(Fault) -> Bool { try begin(Self.objectCloser) }

  /// Begins an array.
  ///
  /// - Returns: `false` if it is empty, and has ended.
  mutating func beginArray() throws(Fault) -> Bool { try begin(UInt8(ascii: "]")) }

  private mutating func begin(_ closer: UInt8) throws(Fault) -> Bool {
    index += 1
    closers.append(closer)
    guard closers.count <= Self.depthLimit else { throw fault("it is nested too deeply") }
    skipSpace()
    guard peek == closer else { return true }
    index += 1
    closers.removeLast()
    return false
  }

  /// Takes the comma after a part of the innermost object or array.
  ///
  /// - Returns: `false` if that was the last part, and the object or array has ended.
  mutating func hasNext() throws(Fault) -> Bool {
    skipSpace()
    if peek == ASCII.comma {
      index += 1
      return true
    }
    guard let closer = closers.last else { return false }
    try take(Unicode.Scalar(closer))
    closers.removeLast()
    return false
  }

  /// Takes a key of an object and its colon.
  ///
  /// - Returns: The range between the key's quotation marks.
  mutating func takeKey() throws(Fault) -> Range<Int> {
    skipSpace()
    let key = try skipString()
    skipSpace()
    try take(":")
    return key
  }
}
