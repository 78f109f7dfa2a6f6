import Foundation

/// A decodable type behind one type.
struct RouteModel: Sendable {
  let type: any Sendable.Type
  let decode:
    @Sendable (Response<Data>, PayloadPath, @escaping @Sendable () -> JSONDecoder)
      throws(FreshetError) -> any Sendable

  init<Value: Decodable & Sendable>(_ type: Value.Type) {
    self.type = type
    decode = { (response, path, decoder) throws(FreshetError) in
      let accepted = response.accepted
      // Bytes are what was received; as JSON they would be Base64.
      if path.isEmpty, let bytes = accepted.value as? Value { return bytes }
      let payload =
        path.isEmpty ? accepted : try accepted.unwrapped(at: path, absent: .deferred)
      return try Decoding<Value>.json(decoder).decode(payload).value
    }
  }

  func isSame(as other: RouteModel) -> Bool {
    ObjectIdentifier(type) == ObjectIdentifier(other.type)
  }
}
