import Foundation

/// A decodable type behind one type.
struct RouteModel: Sendable {
  let type: any Sendable.Type
  let decode:
    @Sendable (Response<Data>, PayloadPath, @escaping @Sendable () -> JSONDecoder)
      throws(FreshetError) -> Response<any Sendable>

  /// A model in JSON, by the router's decoder; `Data` is the bytes as they are.
  init<Value: Decodable & Sendable>(_ type: Value.Type) {
    if type == Data.self {
      // Named here, it is compiled for this type alone, and looks up no others.
      self.init(Data.self) { _ in .bytes }
    } else {
      self.init(type) { .json($0) }
    }
  }

  /// A model in a way of its own.
  init<Value: Sendable>(_ type: Value.Type, as decoding: Decoding<Value>) {
    self.init(type) { _ in decoding }
  }

  private init<Value: Sendable>(
    _ type: Value.Type,
    _ decoding: @escaping @Sendable (@escaping @Sendable () -> JSONDecoder) -> Decoding<Value>
  ) {
    self.type = type
    decode = { (response, path, decoder) throws(FreshetError) in
      let accepted = response.accepted
      let payload =
        path.isEmpty ? accepted : try accepted.unwrapped(at: path, absent: .deferred)
      return try decoding(decoder).decode(payload).map { $0 as any Sendable }
    }
  }

  func isSame(as other: RouteModel) -> Bool {
    ObjectIdentifier(type) == ObjectIdentifier(other.type)
  }
}
