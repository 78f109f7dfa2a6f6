import FreshetEssentials

extension CacheControl {
  /// Adds the directives of a line in the usual form: names in lower case, digits after an `=`, and
  /// only commas and white space around them.
  ///
  /// Reading a line any other way takes ten times as long, which is noticeable when a response is
  /// read from disk. An argument of `no-cache` is the name of a field, and not read here.
  ///
  /// - Returns: `false` for any other line, of which nothing is added.
  mutating func addPlain(_ line: String) -> Bool {
    var read = self
    let isPlain = line.utf8.withContiguousStorageIfAvailable { read.addPlain($0) } ?? false
    if isPlain { self = read }
    return isPlain
  }

  private mutating func addPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var position = 0
    while position < bytes.count {
      if bytes[position] == ASCII.comma || ASCII.isSpace(bytes[position]) {
        position += 1
        continue
      }
      let start = position
      while position < bytes.count, Self.isInName(bytes[position]) { position += 1 }
      let name = UnsafeBufferPointer(rebasing: bytes[start..<position])
      var seconds: Int64?
      if position < bytes.count, bytes[position] == UInt8(ascii: "=") {
        position += 1
        seconds = Self.seconds(bytes, &position)
        if seconds == nil { return false }
      }
      while position < bytes.count, ASCII.isSpace(bytes[position]) { position += 1 }
      guard !name.isEmpty, position == bytes.count || bytes[position] == ASCII.comma,
        seconds == nil || !name.spells("no-cache")
      else { return false }
      add(name, seconds, hasArgument: seconds != nil)
    }
    return true
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "-")
  }

  private static func seconds(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ position: inout Int
  ) -> Int64? {
    let start = position
    var value: Int64 = 0
    while position < bytes.count, ASCII.isDigit(bytes[position]) {
      value = min(value * 10 + Int64(bytes[position] &- 0x30), DeltaSeconds.infinite)
      position += 1
    }
    return position > start ? value : nil
  }

  /// Adds a directive, whose name is in lower case.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - seconds: The number of its argument; `nil` if it has none, or another one.
  ///   - hasArgument: A Boolean value that indicates whether it has an argument.
  mutating func add(
    _ name: UnsafeBufferPointer<UInt8>,
    _ seconds: Int64?,
    hasArgument: Bool
  ) {
    if let flag = Self.flag(name) {
      flags.insert(flag)
    } else if name.spells("max-age") {
      Self.narrow(&maxAge, to: seconds)
    } else if name.spells("min-fresh") {
      minFresh = max(minFresh ?? 0, seconds ?? DeltaSeconds.infinite)
    } else if name.spells("max-stale") {
      Self.narrow(&maxStale, to: hasArgument ? seconds : DeltaSeconds.infinite)
    } else if name.spells("stale-while-revalidate") {
      Self.narrow(&staleWhileRevalidate, to: seconds)
    } else if name.spells("stale-if-error") {
      Self.narrow(&staleIfError, to: seconds)
    }
  }

  /// Lowers a permission; a malformed argument permits nothing.
  private static func narrow(_ permission: inout Int64?, to seconds: Int64?) {
    permission = min(permission ?? .max, seconds ?? 0)
  }

  /// Returns the flag for a directive's name in lower case, if it is one.
  private static func flag(_ name: UnsafeBufferPointer<UInt8>) -> Flags? {
    switch name.count {
    case 6: name.spells("public") ? .isPublic : nil
    case 7: name.spells("private") ? .isPrivate : nil
    case 8: name.spells("no-cache") ? .noCache : name.spells("no-store") ? .noStore : nil
    case 9: name.spells("immutable") ? .immutable : nil
    case 14: name.spells("only-if-cached") ? .onlyIfCached : nil
    case 15:
      name.spells("must-revalidate")
        ? .mustRevalidate : name.spells("must-understand") ? .mustUnderstand : nil
    default: nil
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func spells(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount, let start = baseAddress else { return false }
    return memcmp(start, text.utf8Start, count) == 0
  }
}
