import Foundation

/// The values that chose a response as a store on a disk keeps them: as salted digests, all of them, because a client may
/// call any field secret, and so that neither two stores nor a table made beforehand tell what they were.
///
/// A value says its salt itself, behind a mark that no field's value holds.
extension VaryingFields {
  /// A salt that nobody can foresee.
  static func newSalt() -> String { Hexadecimal.unpredictableName() }

  /// The same fields with this salt in the place of none.
  func salted(_ salt: String) -> VaryingFields {
    guard fields.contains(where: \.isUnsalted) else { return self }
    return VaryingFields(
      fields: fields.map { field in
        guard field.isUnsalted, let value = field.value else { return field }
        return Field(name: field.name, value: Self.salted(value, salt))
      }
    )
  }

  /// The same fields without salt, as far as a request has them.
  func unsalted(for request: HTTPHeaders) -> VaryingFields {
    guard fields.contains(where: { $0.salt != nil }) else { return self }
    return VaryingFields(
      fields: fields.map { field in
        guard field.salt != nil else { return field }
        let value = Self.value(of: HTTPHeaders.Name(field.name), in: request)
        // The language of a response may be the preferred one whatever chose it.
        return field.stands(for: value) ? Field(name: field.name, value: value) : field
      }
    )
  }

  static let mark = "\u{1}"

  fileprivate static func salted(_ value: String, _ salt: String) -> String {
    let digest = SHA256Hasher.digest(of: Data("\(salt)$\(value)".utf8))
    return "\(mark)\(salt)$\(digest.hex)"
  }
}

extension VaryingFields.Field {
  /// The salt of a value that a store has written.
  fileprivate var salt: Substring? {
    guard let value, value.utf8.first == VaryingFields.mark.utf8.first,
      let end = value.utf8.firstIndex(of: UInt8(ascii: "$"))
    else { return nil }
    return value[value.utf8.index(after: value.startIndex)..<end]
  }

  fileprivate var isUnsalted: Bool { value != nil && salt == nil }

  /// A Boolean value that indicates whether the value is a digest, which is not what a request has.
  var isDigest: Bool {
    // Nearly all values are shorter, and names take longer to look at.
    (value?.utf8.count ?? 0) >= 64
      && (salt != nil || Redaction.isSecret(HTTPHeaders.Name(name)))
  }

  /// Whether it has the value that a request has, which is given without salt.
  func stands(for plain: String?) -> Bool {
    guard let salt else {
      if value == plain { return true }
      guard let value, let plain, PreferenceList.defines(HTTPHeaders.Name(name)) else {
        return false
      }
      return PreferenceList.normalized(FieldList.members(of: value).map(String.init)) == plain
    }
    return plain.map { value == VaryingFields.salted($0, String(salt)) } ?? false
  }
}
