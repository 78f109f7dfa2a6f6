import Freshet
import FreshetEssentials

/// The temporary identities of models that pending changes create, and those that the server has
/// assigned instead.
struct ChangeIdentities {
  let connection: ModelConnection

  /// Returns the identity that the server has assigned; `nil` if the identity is no temporary one.
  func permanent(_ key: EntityKey) throws(SQLiteError) -> EntityKey? {
    try connection.row(
      "SELECT permanent FROM alias WHERE model = ? AND temporary = ?",
      [.text(key.model), key.id.bound]
    ) {
      EntityKey(model: key.model, id: EntityID($0, column: 0))
    }
  }

  /// Returns an encoded change with the identities that were assigned since its values were read.
  func current(_ body: [UInt8]) throws(SQLiteError) -> [UInt8] {
    guard try connection.integer("SELECT EXISTS (SELECT 1 FROM alias)") != 0,
      let value = try? ModelRecord(body).value()
    else { return body }
    var result = body
    for scalar in value.scalars {
      guard let id = EntityID(scalar), let permanent = try permanent(anyModel: id) else { continue }
      result = IdentityReplacement(model: nil, from: id, to: permanent).bytes(result) ?? result
    }
    return result
  }

  private func permanent(anyModel id: EntityID) throws(SQLiteError) -> EntityID? {
    try connection.row("SELECT permanent FROM alias WHERE temporary = ?", [id.bound]) {
      EntityID($0, column: 0)
    }
  }

  /// Returns the changes that create the models which an encoded change names.
  func creators(of body: [UInt8]) throws(SQLiteError) -> [Int64] {
    guard try connection.integer("SELECT EXISTS (SELECT 1 FROM change WHERE creates)") != 0,
      let value = try? ModelRecord(body).value()
    else { return [] }
    var numbers: [Int64] = []
    for id in value.scalars.compactMap({ EntityID($0) }) {
      let creators = "SELECT number FROM change WHERE creates AND entity = ?"
      numbers += try connection.integers(creators, [id.bound])
    }
    return numbers
  }

  /// Returns the pending changes that name an identity, and those whose effects depend on models that do.
  func changes(naming replacement: IdentityReplacement) throws(SQLiteError) -> Set<Int64> {
    let patterns: [SQLiteValue] = [.bytes(replacement.pattern), .bytes(replacement.keyPattern)]
    var sources: [(sql: String, parameters: [SQLiteValue])] = [
      ("SELECT number FROM change", []),
      ("SELECT change FROM touch JOIN base USING (model, entity)", []),
    ]
    for name in try names() {
      guard let table = try connection.table(name)?.table else { continue }
      sources.append(
        ("SELECT change FROM touch JOIN \(table) ON id = entity AND model = ?", [.text(name)])
      )
    }
    var numbers: Set<Int64> = []
    for (sql, parameters) in sources {
      let named = "\(sql) WHERE instr(body, ?) OR instr(body, ?)"
      numbers.formUnion(try connection.integers(named, parameters + patterns))
    }
    return numbers
  }

  private func names() throws(SQLiteError) -> [String] {
    try connection.rows("SELECT name FROM model") { $0.textIfText(0) ?? "" }
  }

  /// Makes the identity of a model another one, in all records that name it.
  ///
  /// - Returns: The models whose records have changed.
  func replace(_ old: EntityKey, by id: EntityID) throws(SQLiteError) -> [EntityKey] {
    let replacement = IdentityReplacement(model: old.model, from: old.id, to: id)
    return try move(old, to: id, replacement) + replaceReferences(replacement)
  }

  /// Stores a model under another identity, unless there is one already, and in its place in lists.
  private func move(
    _ old: EntityKey,
    to id: EntityID,
    _ replacement: IdentityReplacement
  ) throws(SQLiteError) -> [EntityKey] {
    try connection.run(
      "INSERT OR REPLACE INTO alias (model, temporary, permanent) VALUES (?, ?, ?)",
      .text(old.model),
      old.id.bound,
      id.bound
    )
    try connection.run(
      "UPDATE OR IGNORE member SET entity = ? WHERE entity = ?",
      id.bound,
      old.id.bound
    )
    if let table = try connection.table(old.model), let row = try table.row(old.id) {
      try table.delete(row.number)
      if try table.row(id) == nil {
        let bytes = replacement.bytes(row.record.bytes) ?? row.record.bytes
        try table.insert(id, StoredRecord(version: row.record.version, bytes: bytes))
      }
    }
    return [old, EntityKey(model: old.model, id: id)]
  }

  private func replaceReferences(
    _ replacement: IdentityReplacement
  ) throws(SQLiteError) -> [EntityKey] {
    var keys: [EntityKey] = []
    for name in try names() {
      guard let table = try connection.table(name) else { continue }
      let ids = try connection.rows(
        "SELECT id FROM \(table.table) WHERE instr(body, ?) OR instr(body, ?)",
        [.bytes(replacement.pattern), .bytes(replacement.keyPattern)]
      ) {
        EntityID($0, column: 0)
      }
      for id in ids {
        let key = EntityKey(model: name, id: id)
        if let new = replacement.identity(id) {
          keys += try move(key, to: new, replacement)
        } else if let found = try table.row(id), let bytes = replacement.bytes(found.record.bytes) {
          let record = StoredRecord(version: found.record.version, bytes: bytes)
          try table.update(found.number, record)
          keys.append(key)
        }
      }
    }
    return keys
  }
}

/// The replacement of an identity in a record: of references to the model, and of values and keys of
/// dictionaries that equal the identity where it is unmistakable.
struct IdentityReplacement {
  /// The model's name; `nil` for any.
  let model: String?
  let old: ModelValue
  let new: ModelValue
  private let oldID: ModelValue
  private let newID: ModelValue
  private let isUnmistakable: Bool

  init(model: String?, from old: EntityID, to new: EntityID) {
    self.model = model
    (oldID, newID) = (old.value, new.value)
    (self.old, self.new) = (Self.value(old), Self.value(new))
    isUnmistakable = Self.canFind(old)
  }

  /// Returns a Boolean value that indicates whether an identity can be found in any value by itself.
  static func canFind(_ id: EntityID) -> Bool {
    switch id {
    // A small number may be anything.
    case .integer(let number): number.magnitude > TemporaryID.largestUsual()
    case .text(let text): text.utf8.count >= 16
    case .bytes: false
    }
  }

  /// The value as a field has it.
  private static func value(_ id: EntityID) -> ModelValue {
    guard case .bytes(let bytes) = id else { return id.value }
    return (try? ModelRecord(bytes).value()) ?? id.value
  }

  /// The value as a dictionary has it for a key; `nil` for one that is no key.
  private static func key(_ value: ModelValue) -> String? {
    switch value {
    case .integer(let number): "\(number)"
    case .text(let text): text
    default: nil
    }
  }

  /// Bytes that each record has which names the identity in a value.
  var pattern: [UInt8] { old.encoded }

  /// Bytes that each record has which names the identity in a key.
  var keyPattern: [UInt8] { (Self.key(old).map(ModelValue.text) ?? old).encoded }

  /// Returns the record with the new identity; `nil` if it does not have the old one.
  func bytes(_ record: [UInt8]) -> [UInt8]? {
    guard let value = try? ModelRecord(record).value() else { return nil }
    return replaced(value)?.encoded
  }

  /// Returns an identity with the new one in it; `nil` if it does not have the old one.
  func identity(_ id: EntityID) -> EntityID? {
    if case .bytes(let record) = id { return bytes(record).map { .bytes($0) } }
    return replaced(id.value).flatMap { EntityID($0) }
  }

  private func replaced(_ value: ModelValue) -> ModelValue? {
    if isUnmistakable, value == old { return new }
    switch value {
    case .reference(let name, let id) where id == oldID && concerns(name):
      return .reference(model: name, id: newID)
    case .reference(let name, .bytes(let record)):
      return bytes(Array(record)).map { .reference(model: name, id: .bytes(Data($0))) }
    case .list(let elements):
      let results = elements.map { replaced($0) }
      if results.allSatisfy({ $0 == nil }) { return nil }
      return .list(zip(results, elements).map { $0 ?? $1 })
    case .map(let fields):
      var result = fields
      for (key, field) in fields {
        if let field = replaced(field) { result[key] = field }
      }
      if isUnmistakable, let key = Self.key(old), let field = result.removeValue(forKey: key) {
        result[Self.key(new) ?? key] = field
      }
      return result == fields ? nil : .map(result)
    default:
      return nil
    }
  }

  /// Returns a Boolean value that indicates whether references to a model may name the identity.
  private func concerns(_ name: String) -> Bool {
    isUnmistakable || model == nil || model == name
  }
}

extension ModelValue {
  /// The texts, numbers and identities in the value, each once.
  fileprivate var scalars: Set<ModelValue> {
    var found: Set<ModelValue> = []
    collect(into: &found)
    return found
  }

  private func collect(into found: inout Set<ModelValue>) {
    switch self {
    case .text, .integer, .bytes: found.insert(self)
    case .reference(_, let id): found.insert(id)
    case .list(let elements):
      for element in elements { element.collect(into: &found) }
    case .map(let fields):
      for (key, field) in fields {
        found.insert(.text(key))
        // A number that is a key of a dictionary is a text.
        if let number = Int64(key) { found.insert(.integer(number)) }
        field.collect(into: &found)
      }
    case .null, .bool, .unsigned, .real: break
    }
  }
}
