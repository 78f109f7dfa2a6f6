/// Keeps the fields of a stored record that the writing type does not declare, when its new record
/// replaces it.
///
/// A stored key is unknown if no coding key of the type that was written there has its name. An
/// element of a list keeps its unknown keys, and its references to those models, if it has the same
/// content as before.
///
/// References to the models that contain it are kept too: a read omits them, because they form a
/// cycle, and so they are missing although they were not removed.
struct ModelRecordMerge {
  let stored: ModelRecord
  let new: ModelRecord
  let shape: RecordShape
  /// The models that contain the new one.
  let path: Set<EntityKey>

  /// Returns the bytes with the kept fields; `nil` if there is nothing to keep.
  func merged() throws(RecordDamage) -> [UInt8]? {
    var map = 0
    guard try hasForeign(stored: 0, new: 0, &map) else { return nil }
    map = 0
    var offset = 0
    let shaped = try shaped(&offset, &map)
    return shaped.keeping(try stored.value(), back: path).encoded
  }
}

// MARK: - Searching

extension ModelRecordMerge {
  /// Returns a Boolean value that indicates whether there is anything to keep, by a walk over the
  /// bytes without copies.
  ///
  /// `map` is the number of the new record's maps so far.
  private func hasForeign(
    stored storedOffset: Int,
    new newOffset: Int,
    _ map: inout Int
  ) throws(RecordDamage) -> Bool {
    switch (try stored.item(storedOffset), try new.item(newOffset)) {
    case (.map(let storedCount, let storedStart), .map(let newCount, let newStart)):
      return try hasForeign(storedCount, storedStart, newCount, newStart, &map)
    case (.list(let storedCount, _), .list(let newCount, _)) where storedCount * newCount > 0:
      // Lists are compared by content, which requires their values.
      let first = map
      map += try maps(newOffset)
      let types = shape.dropFirst(first).prefix(map - first)
      if try mayHoldForeign(storedOffset, types) { return true }
      if path.isEmpty { return false }
      return leadsBack(try stored.value(storedOffset))
    case (.list, .list), (.reference, .null):
      map += try maps(newOffset)
      if path.isEmpty { return false }
      return leadsBack(try stored.value(storedOffset))
    default:
      map += try maps(newOffset)
      return false
    }
  }

  private func hasForeign(
    _ storedCount: Int,
    _ storedStart: Int,
    _ newCount: Int,
    _ newStart: Int,
    _ map: inout Int
  ) throws(RecordDamage) -> Bool {
    let types = shape.indices.contains(map) ? shape[map] : []
    map += 1
    var found = 0
    var offset = newStart
    var rest = (count: storedCount, start: storedStart)
    for _ in 0..<newCount {
      let key = try new.textRange(offset)
      if let other = try stored.find(key, of: new, in: &rest) {
        found += 1
        if try hasForeign(stored: other, new: key.upperBound, &map) { return true }
      } else {
        map += try maps(key.upperBound)
      }
      offset = try new.end(key.upperBound)
    }
    if found == storedCount || (types.isEmpty && path.isEmpty) { return false }
    offset = storedStart
    for _ in 0..<storedCount {
      let key = try stored.textRange(offset)
      if !types.isEmpty, !types.know(stored.text(key)) { return true }
      if !path.isEmpty, leadsBack(try stored.value(key.upperBound)) { return true }
      offset = try stored.end(key.upperBound)
    }
    return false
  }

  /// Returns a Boolean value that indicates whether there is a reference to one of those models in a value.
  private func leadsBack(_ value: ModelValue) -> Bool {
    switch value {
    case .list(let elements): elements.contains(where: leadsBack)
    case .map(let fields): fields.values.contains(where: leadsBack)
    default: value.leads(to: path)
    }
  }

  /// Returns a Boolean value that indicates whether a stored list has a key that one of the types
  /// of the new list's maps does not declare.
  private func mayHoldForeign(
    _ offset: Int,
    _ newTypes: ArraySlice<[any CodingKey.Type]>
  ) throws(RecordDamage) -> Bool {
    var distinct: [[ObjectIdentifier]: [any CodingKey.Type]] = [:]
    for types in newTypes where !types.isEmpty {
      distinct[types.map { ObjectIdentifier($0) }] = types
    }
    if distinct.isEmpty { return false }
    return try stored.keys(offset)
      .contains { key in
        distinct.values.contains { !$0.know(key) }
      }
  }

  private func maps(_ offset: Int) throws(RecordDamage) -> Int {
    var (offset, pending, maps) = (offset, 1, 0)
    while pending > 0 {
      pending -= 1
      switch try new.item(offset) {
      case .list(let count, let start):
        pending += count
        offset = start
      case .map(let count, let start):
        maps += 1
        pending += 2 * count
        offset = start
      default:
        offset = try new.end(offset)
      }
    }
    return maps
  }
}

extension ModelRecord {
  /// Returns the keys of all maps in an item.
  fileprivate func keys(_ offset: Int) throws(RecordDamage) -> Set<String> {
    var keys: Set<String> = []
    var offset = offset
    var open = [(count: 1, isMap: false)]
    while let last = open.last {
      guard last.count > 0 else {
        open.removeLast()
        continue
      }
      open[open.count - 1].count -= 1
      if last.isMap {
        let key = try textRange(offset)
        keys.insert(text(key))
        offset = key.upperBound
      }
      switch try item(offset) {
      case .list(let count, let start):
        open.append((count, false))
        offset = start
      case .map(let count, let start):
        open.append((count, true))
        offset = start
      default:
        offset = try end(offset)
      }
    }
    return keys
  }

  /// Returns the position of the value in a map for a key of another record.
  ///
  /// The keys are looked up in the order of a map. `rest` is the part of the map from the last one on,
  /// so that all of them together take one walk.
  fileprivate func find(
    _ key: Range<Int>,
    of other: ModelRecord,
    in rest: inout (count: Int, start: Int)
  ) throws(RecordDamage) -> Int? {
    while rest.count > 0 {
      let name = try textRange(rest.start)
      if name.count > key.count { return nil }
      let isEqual = bytes[name] == other.bytes[key]
      if !isEqual, name.count == key.count,
        other.bytes[key].lexicographicallyPrecedes(bytes[name])
      {
        return nil
      }
      rest = (rest.count - 1, try end(name.upperBound))
      if isEqual { return name.upperBound }
    }
    return nil
  }
}

extension [any CodingKey.Type] {
  func know(_ key: String) -> Bool {
    contains { $0.init(stringValue: key) != nil }
  }
}

// MARK: - Keeping

extension ModelRecordMerge {
  /// A new value with the key types of the type that wrote it.
  fileprivate indirect enum Shaped {
    case other(ModelValue)
    case list([Shaped])
    case map([String: Shaped], [any CodingKey.Type])
  }

  private func shaped(_ offset: inout Int, _ map: inout Int) throws(RecordDamage) -> Shaped {
    switch try new.item(offset) {
    case .list(let count, let start):
      offset = start
      var elements: [Shaped] = []
      for _ in 0..<count { elements.append(try shaped(&offset, &map)) }
      return .list(elements)
    case .map(let count, let start):
      let types = shape.indices.contains(map) ? shape[map] : []
      map += 1
      offset = start
      var fields: [String: Shaped] = [:]
      for _ in 0..<count {
        let key = try new.textRange(offset)
        offset = key.upperBound
        fields[new.text(key)] = try shaped(&offset, &map)
      }
      return .map(fields, types)
    default:
      defer { offset = (try? new.end(offset)) ?? offset }
      return .other(try new.value(offset))
    }
  }
}

extension ModelRecordMerge.Shaped {
  /// The value without the types.
  var value: ModelValue {
    switch self {
    case .other(let value): value
    case .list(let elements): .list(elements.map(\.value))
    case .map(let fields, _): .map(fields.mapValues(\.value))
    }
  }

  /// Returns the value with the unknown keys of the stored value in its place, and the back references.
  func keeping(_ stored: ModelValue, back path: Set<EntityKey>) -> ModelValue {
    switch (self, stored) {
    case (.map(let fields, let types), .map(let storedFields)):
      var result = fields.mapValues(\.value)
      for (key, value) in storedFields {
        if let field = fields[key] {
          result[key] = field.keeping(value, back: path)
        } else if value.leads(to: path) || (!types.isEmpty && !types.know(key)) {
          result[key] = value
        }
      }
      return .map(result)
    case (.list(let elements), .list(let storedElements)):
      var matches = ElementMatches(storedElements, for: elements.map(\.value)) {
        $0.leads(to: path)
      }
      let result = elements.map { element in
        let match = matches.take(for: element.value) { element.isKnownPart(of: $0, back: path) }
        return match.map { element.keeping($0, back: path) } ?? element.value
      }
      return .list(matches.put(waysBackInto: result))
    case (.other(.null), .reference) where stored.leads(to: path):
      return stored
    default:
      return value
    }
  }

  /// Returns a Boolean value that indicates whether a stored value is equal to this one, except for
  /// unknown keys and the back references.
  private func isKnownPart(of stored: ModelValue, back path: Set<EntityKey>) -> Bool {
    switch (self, stored) {
    case (.map(let fields, let types), .map(let storedFields)):
      return fields.allSatisfy { key, field in
        storedFields[key].map { field.isKnownPart(of: $0, back: path) } ?? false
      }
        && storedFields.allSatisfy { key, value in
          fields[key] != nil || (!types.isEmpty && !types.know(key)) || value.leads(to: path)
        }
    case (.list(let elements), .list(let storedElements)):
      let others =
        elements.count == storedElements.count
        ? storedElements : storedElements.withoutWaysBack { $0.leads(to: path) }
      return elements.count == others.count
        && zip(elements, others).allSatisfy { $0.isKnownPart(of: $1, back: path) }
    case (.other(.null), .reference):
      return stored.leads(to: path)
    case (.other(.real(let number)), .real(let storedNumber)):
      return number == storedNumber || number.isNaN && storedNumber.isNaN
    default:
      return value == stored
    }
  }
}

extension ModelValue {
  /// Returns a Boolean value that indicates whether it is a reference to one of the models.
  fileprivate func leads(to path: Set<EntityKey>) -> Bool {
    guard !path.isEmpty, case .reference(let model, let id) = self, let id = EntityID(id) else {
      return false
    }
    return path.contains(EntityKey(model: model, id: id))
  }
}
