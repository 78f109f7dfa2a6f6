import FreshetEssentials

/// The values that selected a response, as a disk store writes them: all as salted digests.
///
/// A client may treat any field as secret, and neither a comparison of two stores nor a precomputed
/// table may reveal the values. A value contains its salt, after a mark that no field's value
/// contains.
extension VaryingFields {
  /// Returns an unpredictable salt.
  static func newSalt() -> String { Hexadecimal.unpredictableName() }

  /// Returns the fields with this salt, where they have none.
  func salted(_ salt: String) -> VaryingFields {
    guard fields.contains(where: \.isUnsalted) else { return self }
    return VaryingFields(
      fields: fields.map { field in
        guard field.isUnsalted, let value = field.value else { return field }
        return Field(name: field.name, value: Self.salted(value, salt))
      }
    )
  }

  /// Returns the fields without salt, where the request has the same values.
  func unsalted(for request: HTTPHeaders) -> VaryingFields {
    guard fields.contains(where: { $0.salt != nil }) else { return self }
    return VaryingFields(
      fields: fields.map { field in
        guard field.salt != nil else { return field }
        let value = Self.value(of: HTTPHeaders.Name(field.name), in: request)
        // A response in the preferred language matches even if its `Accept-Language` differs.
        return field.stands(for: value) ? Field(name: field.name, value: value) : field
      }
    )
  }

  /// Returns a Boolean value that indicates whether these fields have the same values as others,
  /// which are given without salt.
  func stand(for plain: VaryingFields) -> Bool {
    fields.count == plain.fields.count
      && zip(fields, plain.fields)
        .allSatisfy { $0.name.hasSameBytes(as: $1.name) && $0.stands(for: $1.value) }
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

  /// A Boolean value that indicates whether the value is a digest, and therefore not the value of a
  /// request.
  var isDigest: Bool {
    // Nearly all values are shorter, and comparing names takes longer.
    (value?.utf8.count ?? 0) >= 64
      && (salt != nil || Redaction.isSecret(HTTPHeaders.Name(name)))
  }

  /// Returns a Boolean value that indicates whether it has the value of a request, which is given
  /// without salt.
  func stands(for plain: String?) -> Bool {
    guard let salt else {
      if Self.isSame(value, plain) { return true }
      guard let value, let plain, PreferenceList.defines(HTTPHeaders.Name(name)) else {
        return false
      }
      let members = FieldList.members(of: value).map(String.init)
      return PreferenceList.normalized(members)?.hasSameBytes(as: plain) ?? false
    }
    return plain.map { value == VaryingFields.salted($0, String(salt)) } ?? false
  }
}
