/// A model that declares where in the JSON its properties stand.
///
/// ```swift
/// struct User: KeyMapped, Sendable {
///   static let keys: [String: PayloadPath] = ["firstName": "name.first", "picture": "picture.medium"]
///   var firstName: String
///   var picture: URL?
///   var email: String
/// }
/// ```
///
/// - Every decoding of JSON reads the model so: of itself, and of it in arrays, optionals and
///   dictionaries, in payloads, endpoints, routes and pages. The properties of another type are read
///   so if that type is a `KeyMapped` too, perhaps with `[:]` as its keys.
/// - A bare `JSONDecoder` does not know of the keys.
/// - The rules of the paths are those of ``Decoding/json(keys:_:)``.
public protocol KeyMapped: Decodable {
  /// The paths of properties, counted from the model's own object; every other property stands under
  /// its own name.
  static var keys: [String: PayloadPath] { get }
}
