/// The directives and conditions in a request's headers (RFC 9111 section 5.2.1).
struct RequestDirectives: Sendable, Hashable {
  var control = CacheControl()
  /// A Boolean value that indicates whether it has a condition of its own (RFC 9110 section 13.1).
  var isConditional = false
  /// A Boolean value that indicates whether only the origin can evaluate one of its conditions (RFC
  /// 9111 section 4.3.2).
  var isForOrigin = false
  /// A Boolean value that indicates whether it asks for a range (RFC 9110 section 14.2).
  var isPartial = false

  init(_ headers: HTTPHeaders) {
    if headers.isEmpty { return }
    var hasControl = false
    var hasPragma = false
    for field in headers {
      // Most fields begin with none of these letters.
      switch field.name.rawValue.utf8.first {
      case UInt8(ascii: "C"), UInt8(ascii: "c"):
        guard field.name == .cacheControl else { continue }
        hasControl = true
        control.add(field.value)
      case UInt8(ascii: "P"), UInt8(ascii: "p"):
        guard field.name == .pragma else { continue }
        hasPragma =
          hasPragma
          || FieldList.members(of: field.value)
            .contains { ASCII.equalIgnoringCase($0, "no-cache") }
      case UInt8(ascii: "I"), UInt8(ascii: "i"):
        isForOrigin = isForOrigin || Self.originConditions.contains(field.name)
        isConditional = isForOrigin || isConditional || Self.conditions.contains(field.name)
      case UInt8(ascii: "R"), UInt8(ascii: "r"):
        isPartial = isPartial || field.name == .range
      default: break
      }
    }
    // Section 5.4: Pragma counts only without Cache-Control.
    if hasPragma, !hasControl { control.flags.insert(.noCache) }
  }

  private static let conditions: [HTTPHeaders.Name] = [.ifNoneMatch, .ifModifiedSince]
  private static let originConditions: [HTTPHeaders.Name] = [
    .ifMatch, .ifUnmodifiedSince, .ifRange,
  ]
}
