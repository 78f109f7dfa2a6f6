import Foundation

/// How a store on a disk keeps what stands for credentials: salted, so that neither two stores nor a
/// table made beforehand tell whose they are.
///
/// A value says its salt itself. Records of earlier versions, which have none, are still understood.
extension VaryingFields {
  /// A salt that nobody can foresee.
  static func newSalt() -> String { Hexadecimal.unpredictableName() }

  /// The same fields with this salt in the place of none.
  func salted(_ salt: String) -> VaryingFields {
    guard fields.contains(where: \.isPlainSecret) else { return self }
    return VaryingFields(
      fields: fields.map { field in
        guard field.isPlainSecret, let value = field.value else { return field }
        return Field(name: field.name, value: Self.salted(value, salt))
      }
    )
  }

  /// The same fields without salt, for a request that they match.
  func unsalted(for request: HTTPHeaders) -> VaryingFields {
    guard fields.contains(where: { $0.salt != nil }) else { return self }
    return VaryingFields(
      fields: fields.map { field in
        guard field.salt != nil else { return field }
        let name = HTTPHeaders.Name(field.name)
        return Field(name: field.name, value: Self.value(of: name, in: request))
      }
    )
  }

  fileprivate static func salted(_ value: String, _ salt: String) -> String {
    let digest = SHA256Hasher.digest(of: Data("\(salt)$\(value)".utf8))
    return "\(salt)$\(digest.hex)"
  }
}

extension VaryingFields.Field {
  /// The salt of a credential's value.
  fileprivate var salt: Substring? {
    guard let value, let mark = value.utf8.firstIndex(of: UInt8(ascii: "$")),
      Redaction.isSecret(HTTPHeaders.Name(name))
    else { return nil }
    return value[..<mark]
  }

  fileprivate var isPlainSecret: Bool {
    value != nil && Redaction.isSecret(HTTPHeaders.Name(name)) && salt == nil
  }

  /// Whether the value is a credential's digest, which is not what a request has.
  var isDigest: Bool {
    // Nearly all values are shorter, and names take longer to look at.
    (value?.utf8.count ?? 0) >= 64 && Redaction.isSecret(HTTPHeaders.Name(name))
  }

  /// Whether it has the value that a request has, which is given without salt.
  func stands(for plain: String?) -> Bool {
    if value == plain { return true }
    guard let plain, let salt else { return false }
    return value == VaryingFields.salted(plain, String(salt))
  }
}
