import FreshetEssentials

extension CacheControl {
  /// The bytes of a part of a line.
  fileprivate typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

  /// Adds the directives of one line.
  mutating func add(_ line: String) {
    var line = line
    // The bytes of a string are read much faster than its views, which shows with each stored response.
    line.withUTF8 { bytes in
      FieldList.split(bytes, at: ASCII.comma) { member in
        if !member.isEmpty { add(directive: member) }
      }
    }
  }

  private mutating func add(directive: Bytes) {
    guard let equals = directive.firstIndex(of: UInt8(ascii: "=")) else {
      return add(directive, nil)
    }
    let name = directive[..<equals]
    let argument = Argument(
      text: directive[(equals + 1)...],
      isMalformed: name.last.map(ASCII.isSpace) == true
    )
    add(ASCII.trimmed(name), argument)
  }

  private mutating func add(_ name: Bytes, _ argument: Argument?) {
    switch name {
    case "max-age": Self.narrow(&maxAge, to: argument?.seconds)
    case "max-stale":
      Self.narrow(&maxStale, to: argument == nil ? DeltaSeconds.infinite : argument?.seconds)
    case "min-fresh": minFresh = max(minFresh ?? 0, argument?.seconds ?? DeltaSeconds.infinite)
    case "stale-while-revalidate": Self.narrow(&staleWhileRevalidate, to: argument?.seconds)
    case "stale-if-error": Self.narrow(&staleIfError, to: argument?.seconds)
    case "no-cache":
      let names = argument?.fieldNames ?? []
      if names.isEmpty { flags.insert(.noCache) } else { noCacheFields += names }
    case "no-store": flags.insert(.noStore)
    case "only-if-cached": flags.insert(.onlyIfCached)
    case "must-revalidate": flags.insert(.mustRevalidate)
    case "must-understand": flags.insert(.mustUnderstand)
    case "private": flags.insert(.isPrivate)
    case "public": flags.insert(.isPublic)
    case "immutable": flags.insert(.immutable)
    default: break
    }
  }

  /// Lowers a permission; a malformed argument permits nothing.
  private static func narrow(_ permission: inout Int64?, to seconds: Int64?) {
    permission = min(permission ?? .max, seconds ?? 0)
  }

  /// The text after a directive's `=`.
  private struct Argument {
    let text: Bytes
    /// A Boolean value that indicates whether there is white space before the `=`, which the grammar
    /// does not allow.
    let isMalformed: Bool

    /// The number, which may be quoted (RFC 9111 section 5.2).
    var seconds: Int64? {
      if isMalformed { return nil }
      return DeltaSeconds.parse(text) ?? unquoted.flatMap { DeltaSeconds.parse($0.utf8) }
    }

    /// The field names, in lower case; empty if there is none or one is not a token.
    var fieldNames: [String] {
      let names = FieldList.members(of: unquoted ?? String(decoding: text, as: UTF8.self))
      return names.allSatisfy({ ASCII.isToken($0) }) ? names.map { ASCII.lowercased($0) } : []
    }

    private var unquoted: String? { FieldList.unquoted(String(decoding: text, as: UTF8.self)[...]) }
  }
}

/// Returns whether bytes spell a name, in any case.
private func ~= (name: StaticString, bytes: CacheControl.Bytes) -> Bool {
  ASCII.equalIgnoringCase(
    UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
    bytes
  )
}
