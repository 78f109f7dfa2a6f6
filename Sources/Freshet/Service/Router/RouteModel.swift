import FreshetEssentials

/// A type-erased decodable type.
struct RouteModel: Sendable {
  let type: any Sendable.Type
  let decode:
    @Sendable (Response<Data>, PayloadPath, @escaping @Sendable () -> JSONDecoder)
      throws(FreshetError) -> Response<any Sendable>

  /// Makes a model in JSON, decoded by the router's decoder; for `Data`, the bytes are returned unchanged.
  init<Value: Decodable & Sendable>(_ type: Value.Type) {
    if type == Data.self {
      // With a literal type, the compiler specializes it, and no conformance is looked up.
      self.init(Data.self) { _ in .bytes }
    } else {
      self.init(type) { .json($0) }
    }
  }

  /// Makes a model with its own decoding.
  init<Value: Sendable>(_ type: Value.Type, as decoding: Decoding<Value>) {
    self.init(type) { _ in decoding }
  }

  private init<Value: Sendable>(
    _ type: Value.Type,
    _ decoding: @escaping @Sendable (@escaping @Sendable () -> JSONDecoder) -> Decoding<Value>
  ) {
    self.type = type
    decode = { (response, path, decoder) throws(FreshetError) in
      try decoding(decoder).value(of: response.accepted, at: path).map { $0 as any Sendable }
    }
  }

  func isSame(as other: RouteModel) -> Bool {
    ObjectIdentifier(type) == ObjectIdentifier(other.type)
  }
}
