/// What a type is to a record.
struct TypeFacts {
  /// Whether its values are stored as themselves.
  let isModel: Bool
  /// How the elements of a collection of the standard library are ordered; `nil` for other types.
  let order: ElementOrder?
  /// The model that such a collection holds.
  let element: (any PersistableModel.Type)?

  init(_ type: Any.Type) {
    isModel = type is any PersistableModel.Type
    let collection = type as? any KnownCollection.Type
    order = collection?.order
    element = collection.flatMap { Self.model($0.elementType) }
  }

  private static func model(_ type: Any.Type) -> (any PersistableModel.Type)? {
    if let model = type as? any PersistableModel.Type { return model }
    return (type as? any KnownOptional.Type)?.wrappedType as? any PersistableModel.Type
  }
}

/// What is known of types, which costs more to find out than to look up.
final class TypeBook {
  private var known: [ObjectIdentifier: TypeFacts] = [:]

  func facts(_ type: Any.Type) -> TypeFacts {
    let id = ObjectIdentifier(type)
    if let facts = known[id] { return facts }
    let facts = TypeFacts(type)
    known[id] = facts
    return facts
  }
}

/// How the elements of a list are ordered.
enum ElementOrder {
  /// As the value has them.
  case kept
  /// By no order of their own: each value has them in another one.
  case free
  /// The same, in pairs: a dictionary whose keys are no texts or numbers is a list of keys and
  /// values.
  case freePairs
}

/// A collection of the standard library, whatever it holds.
private protocol KnownCollection {
  static var elementType: Any.Type { get }
  static var order: ElementOrder { get }
}

extension Array: KnownCollection {
  fileprivate static var elementType: Any.Type { Element.self }
  fileprivate static var order: ElementOrder { .kept }
}

extension Set: KnownCollection {
  fileprivate static var elementType: Any.Type { Element.self }
  fileprivate static var order: ElementOrder { .free }
}

extension Dictionary: KnownCollection {
  fileprivate static var elementType: Any.Type { Value.self }
  fileprivate static var order: ElementOrder { .freePairs }
}

private protocol KnownOptional {
  static var wrappedType: Any.Type { get }
}

extension Optional: KnownOptional {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}
