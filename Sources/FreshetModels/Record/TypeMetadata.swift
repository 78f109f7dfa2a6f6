/// The properties of a type that matter to a record.
struct TypeMetadata {
  /// A Boolean value that indicates whether its values are stored as models.
  let isModel: Bool
  /// The order of the elements of a collection of the standard library; `nil` for other types.
  let order: ElementOrder?
  /// The model type of the elements of such a collection.
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

/// A cache of type properties, because computing them costs more than a lookup.
final class TypeMetadataCache {
  private var known: [ObjectIdentifier: TypeMetadata] = [:]

  func facts(_ type: Any.Type) -> TypeMetadata {
    let id = ObjectIdentifier(type)
    if let facts = known[id] { return facts }
    let facts = TypeMetadata(type)
    known[id] = facts
    return facts
  }
}

/// The order of the elements of a list.
enum ElementOrder {
  /// The order of the value.
  case kept
  /// No order: equal values may have different ones.
  case free
  /// No order, in pairs: a dictionary whose keys are no texts or numbers is a list of keys and values.
  case freePairs
}

/// A collection of the standard library, with any elements.
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
