/// The paths of a type's properties while one body is decoded.
///
/// What is read for each property is not checked for exclusive access, as in ``MappedPlaces``.
final class KeyMap {
  /// The place of one property.
  struct Entry: Sendable {
    let name: String
    let steps: [String]
    /// The last step.
    let key: AnyCodingKey
    /// The position of the object in ``parents`` that has the last step, −1 for the model's own.
    let parent: Int
    /// A Boolean value that indicates whether a step may be a position in an array, or whether the
    /// property is the whole object.
    let isIrregular: Bool
  }

  /// An object inside of the model's own that has properties.
  struct Parent: Sendable {
    let key: AnyCodingKey
    /// The position of the object around it, −1 for the model's own.
    let parent: Int
  }

  let entries: [Entry]
  let parents: [Parent]
  /// A Boolean value that indicates whether one of the parents was missing once, so that it is
  /// worth asking for them before they are opened.
  @exclusivity(unchecked) var isSparse = false
  /// The properties in the order in which a model has asked for them, which the next one mostly
  /// repeats.
  @exclusivity(unchecked) private var order: [(name: String, index: Int)] = []
  @exclusivity(unchecked) private var isAudited: Bool
  /// The types of keys, and the names that the last one did not have.
  private var keyTypes: Set<ObjectIdentifier> = []
  private var unknown: Set<String> = []

  /// The largest number of properties whose order is noted.
  private static let orderLimit = 64

  init(_ keys: [String: PayloadPath]) {
    var entries: [Entry] = []
    var parents: [Parent] = []
    var known: [ArraySlice<String>: Int] = [:]
    for (name, path) in keys.sorted(by: { $0.key < $1.key }) {
      let isIrregular = path.isEmpty || path.steps.contains { ASCII.integer($0) != nil }
      var parent = -1
      if !isIrregular {
        for end in path.steps.indices.dropFirst() {
          let prefix = path.steps[..<end]
          if let position = known[prefix] {
            parent = position
            continue
          }
          parents.append(Parent(key: AnyCodingKey.text(path.steps[end - 1]), parent: parent))
          parent = parents.count - 1
          known[prefix] = parent
        }
      }
      entries.append(
        Entry(
          name: name,
          steps: path.steps,
          key: AnyCodingKey.text(path.steps.last ?? ""),
          parent: parent,
          isIrregular: isIrregular
        )
      )
    }
    self.entries = entries
    self.parents = parents
    isAudited = entries.isEmpty
  }

  /// The position of a property's entry, or `nil` if it stands under its own name.
  func index(of name: String) -> Int? {
    for index in entries.indices where entries[index].name == name { return index }
    return nil
  }

  /// Returns the position of a property's entry, -1 if it stands under its own name.
  ///
  /// - Parameters:
  ///   - name: The name of the property.
  ///   - number: The number of properties that the model has asked for before.
  /// - Returns: The position.
  func index(of name: String, after number: Int) -> Int {
    if number < order.count, order[number].name == name {
      return order[number].index
    }
    let index = index(of: name) ?? -1
    if number == order.count, number < Self.orderLimit {
      order.append((name, index))
    }
    return index
  }

  /// Notes which names are no keys of a type, once for each type of keys.
  func audit<Key: CodingKey>(_ type: Key.Type) {
    guard !isAudited, keyTypes.insert(ObjectIdentifier(type)).inserted else { return }
    unknown = Set(entries.map(\.name).filter { Key(stringValue: $0) == nil })
    isAudited = unknown.isEmpty
  }

  /// A name that the type has no key for, if it has keys of one type only; else that cannot be said.
  var misnomer: String? { keyTypes.count == 1 ? unknown.min() : nil }
}
