extension TraceContext {
  /// Reads the context of a request that came in; `nil` without a `traceparent`, with several, or with one
  /// that is not valid.
  ///
  /// - Parameter headers: Its fields.
  public init?(headers: HTTPHeaders) {
    let parents = headers[values: Self.parentField]
    guard parents.count == 1, let parent = parents.first else { return nil }
    self.init(
      traceparent: parent,
      tracestate: headers[values: Self.stateField].joined(separator: ",")
    )
  }

  /// Reads a context; `nil` if `traceparent` is not valid.
  ///
  /// - Parameters:
  ///   - traceparent: The field (section 3.2). One of a later version is read as far as version 00 goes.
  ///   - tracestate: The field (section 3.3), several joined by commas. One that is not valid is dropped.
  public init?(traceparent: String, tracestate: String = "") {
    let bytes = Array(traceparent.utf8)
    let dash = UInt8(ascii: "-")
    guard bytes.count >= 55, [2, 35, 52].allSatisfy({ bytes[$0] == dash }) else { return nil }
    let (version, traceID) = (bytes[0..<2], bytes[3..<35])
    let (parentID, flags) = (bytes[36..<52], bytes[53..<55])
    let isHexadecimal = [version, traceID, parentID, flags]
      .allSatisfy { digits in
        digits.allSatisfy { Self.digits.contains($0) }
      }
    let isOfVersion00 = version.allSatisfy { $0 == UInt8(ascii: "0") }
    guard isHexadecimal,
      !version.allSatisfy({ $0 == UInt8(ascii: "f") }),
      bytes.count == 55 || !isOfVersion00 && bytes[55] == dash,
      [traceID, parentID].allSatisfy({ id in !id.allSatisfy { $0 == UInt8(ascii: "0") } })
    else { return nil }
    self.init(
      traceID: String(decoding: traceID, as: UTF8.self),
      parentID: String(decoding: parentID, as: UTF8.self),
      // The last bit of the last digit (section 3.2.2.5.1).
      isSampled: Self.digits.firstIndex(of: bytes[54]).map { $0 % 2 == 1 } ?? false,
      state: Self.state(tracestate)
    )
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

// MARK: - Trace state

extension TraceContext {
  /// The largest state that is sent on, in bytes, and the largest member that stays in a longer one
  /// (section 3.3.1.5).
  private static let (maximumState, maximumMember) = (512, 128)
  private static let maximumMembers = 32

  /// The members of a valid state, as many as are sent on; empty for one that is not valid.
  private static func state(_ text: String) -> String {
    var members: [Substring] = []
    var keys: Set<Substring> = []
    for part in text.split(separator: ",") {
      let member = ASCII.trimmed(part)
      guard !member.isEmpty else { continue }
      guard let mark = member.firstIndex(of: "="),
        isKey(member[..<mark].utf8), isValue(member[member.index(after: mark)...].utf8),
        keys.insert(member[..<mark]).inserted, members.count < maximumMembers
      else { return "" }
      members.append(member)
    }
    return shortened(members).joined(separator: ",")
  }

  private static func shortened(_ members: [Substring]) -> [Substring] {
    var members = members
    func length() -> Int { members.reduce(-1) { $0 + $1.utf8.count + 1 } }
    while length() > maximumState,
      let index = members.lastIndex(where: { $0.utf8.count > maximumMember })
    {
      members.remove(at: index)
    }
    while length() > maximumState { members.removeLast() }
    return members
  }

  /// A simple key, or one of a tenant at a system (section 3.3.1.3.1).
  private static func isKey(_ key: Substring.UTF8View) -> Bool {
    let parts = key.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    switch parts.count {
    case 1:
      return isName(parts[0], limit: 256) { isLetter($0) }
    case 2:
      return isName(parts[0], limit: 241) { isLetter($0) || ASCII.isDigit($0) }
        && isName(parts[1], limit: 14) { isLetter($0) }
    default:
      return false
    }
  }

  private static func isName(
    _ name: Substring.UTF8View,
    limit: Int,
    begins isFirst: (UInt8) -> Bool
  ) -> Bool {
    guard let first = name.first, isFirst(first), name.count <= limit else { return false }
    return name.allSatisfy { isLetter($0) || ASCII.isDigit($0) || "_-*/".utf8.contains($0) }
  }

  /// Up to 256 visible characters and spaces without comma and equals sign, not ending with a space.
  private static func isValue(_ value: Substring.UTF8View) -> Bool {
    guard let last = value.last, last != UInt8(ascii: " "), value.count <= 256 else { return false }
    return value.allSatisfy {
      (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}
