import Freshet

/// Collects the records of models and of their nested models.
final class EncodingContext {
  private static let depthLimit = 64

  private var found: [EncodedRecord?] = []
  private var places: [Place: Int] = [:]
  private var newest: [EntityKey: Int] = [:]
  private var open: [EntityKey] = []
  private var checked: Set<ObjectIdentifier> = []
  private let checks: IndexChecks?
  let types = TypeMetadataCache()
  /// A Boolean value that indicates whether nested models are a part of the value, and no records of
  /// their own.
  let isSelfContained: Bool

  /// - Parameters:
  ///   - checks: The types whose indexes were checked; `nil` if nothing will be stored.
  ///   - isSelfContained: A Boolean value that indicates whether nested models are a part of the value.
  init(checks: IndexChecks? = nil, isSelfContained: Bool = false) {
    self.checks = checks
    self.isSelfContained = isSelfContained
  }

  /// Adds a model's record, and those of its nested models.
  func add<Model: PersistableModel>(_ model: Model) throws -> EntityKey {
    let key = EntityKey(model: Model.modelName, id: try identify(model.id))
    // Objects may refer to each other in a cycle.
    if Model.self is AnyClass, open.contains(key) { return key }
    guard open.count < Self.depthLimit else {
      throw EncodingError.invalidValue(
        model,
        .init(codingPath: [], debugDescription: "models are nested more than 64 deep")
      )
    }
    let path = open
    open.append(key)
    defer { open.removeLast() }
    let encoder = ModelEncoder(self)
    try model.encode(to: encoder)
    encoder.closeIfEnumeration(model)
    var writer = ModelRecordWriter()
    writer.write(encoder.result)
    // It could be read, and not be migrated.
    if writer.isTooDeep {
      throw EncodingError.invalidValue(
        model,
        .init(codingPath: [], debugDescription: "its values are nested more than 256 deep")
      )
    }
    if let checks, !checks.isDone(Model.self),
      checked.insert(ObjectIdentifier(Model.self)).inserted
    {
      try checks.check(model, encoder.result, ModelRecord(writer.bytes))
    }
    add(
      EncodedRecord(
        key: key,
        type: Model.self,
        bytes: writer.bytes,
        shape: writer.shape,
        path: path
      )
    )
    return key
  }

  /// Two types may have the same name; each writes its own fields.
  private struct Place: Hashable {
    let key: EntityKey
    let type: ObjectIdentifier
  }

  private func add(_ record: EncodedRecord) {
    let place = Place(key: record.key, type: ObjectIdentifier(record.type))
    if let earlier = places[place] {
      if newest[record.key] == earlier {
        found[earlier] = record
        return
      }
      found[earlier] = nil
    }
    places[place] = found.count
    newest[record.key] = found.count
    found.append(record)
  }

  /// The records, one for each identity and type, the last one found, in the order in which they
  /// are written: nested models come before the outer one.
  var records: [EncodedRecord] { found.compactMap(\.self) }

  func identify<ID: Encodable>(_ id: ID) throws -> EntityID {
    let encoder = ModelEncoder(self)
    try encoder.encode(id)
    switch encoder.result {
    case .integer(let number): return .integer(number)
    case .text(let text): return EntityID(text: text)
    case let node:
      var writer = ModelRecordWriter()
      writer.write(node)
      return .bytes(writer.bytes)
    }
  }

  /// Returns a value as an index stores it.
  ///
  /// - Throws: A failure if it is to be compared by order, and its stored form has none.
  func index<Value: Encodable>(_ value: Value, byOrder: Bool = false) throws -> SQLiteValue {
    let encoder = ModelEncoder(self)
    try encoder.encode(value)
    switch encoder.result {
    case .list, .map:
      guard !byOrder else {
        throw FreshetError.store("a query cannot take a range of the type \(Value.self)")
      }
    default: break
    }
    var writer = ModelRecordWriter()
    writer.write(encoder.result)
    return try ModelRecord(writer.bytes).indexed([])
  }
}

/// A model in the form for its table.
struct EncodedRecord: Sendable {
  let key: EntityKey
  let type: any PersistableModel.Type
  let bytes: [UInt8]
  let shape: RecordShape
  /// The models that contain it.
  let path: [EntityKey]

  /// Returns the bytes with the fields of the stored ones that they do not have; `nil` if there is
  /// nothing to keep, or the stored record is damaged.
  func merged(over stored: [UInt8]) -> [UInt8]? {
    let merge = ModelRecordMerge(
      stored: ModelRecord(stored),
      new: ModelRecord(bytes),
      shape: shape,
      path: Set(path)
    )
    return try? merge.merged()
  }
}
