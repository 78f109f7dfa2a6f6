import FreshetEssentials

/// A value that was encoded so far.
enum EncodedNode {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
  case text(String)
  case bytes(Data)
  case list(EncodedList)
  case map(EncodedMap)
  case reference(EntityKey)
  /// The final value of another encoder.
  case deferred(ModelEncoder)
}

final class EncodedList {
  var nodes: [EncodedNode] = []
  var order = ElementOrder.kept
}

final class EncodedMap {
  private(set) var keys: [String] = []
  private(set) var nodes: [EncodedNode] = []
  /// The key types of the encoding type, which also include keys that are missing here.
  var keyTypes: [any CodingKey.Type] = []
  /// A Boolean value that indicates whether one key excludes the others, as in an enumeration.
  var isClosed = false

  func set(_ node: EncodedNode, for key: String) {
    // A repeated key is rare, and a search would slow down every other one.
    keys.append(key)
    nodes.append(node)
  }

  /// Returns the last value that was set for a key.
  func last(_ key: String) -> EncodedNode? {
    keys.lastIndex(of: key).map { nodes[$0] }
  }

  /// The entries in the order of a record, the last one of each key.
  var ordered: [(key: String, node: EncodedNode)] {
    let entries = zip(keys, nodes).enumerated()
      .sorted { left, right in
        if left.element.0 == right.element.0 { return left.offset < right.offset }
        return ModelRecordWriter.isOrdered(left.element.0, right.element.0)
      }
    var result: [(key: String, node: EncodedNode)] = []
    result.reserveCapacity(entries.count)
    for (_, entry) in entries {
      if result.last?.key == entry.0 { result.removeLast() }
      result.append((entry.0, entry.1))
    }
    return result
  }
}

extension EncodedNode {
  /// Makes a node of the scalar types that `Codable` supports directly.
  @inline(__always)
  init?<Value>(scalar value: Value) {
    if Value.self == String.self, let text = value as? String {
      self = .text(text)
    } else if Value.self == Int.self, let number = value as? Int {
      self = .integer(Int64(number))
    } else if Value.self == Bool.self, let value = value as? Bool {
      self = .bool(value)
    } else if Value.self == Double.self, let number = value as? Double {
      self = .real(number)
    } else if let node = EncodedNode(rareScalar: value) {
      self = node
    } else {
      return nil
    }
  }

  @inline(__always)
  private init?<Value>(rareScalar value: Value) {
    if Value.self == Int64.self, let number = value as? Int64 {
      self = .integer(number)
    } else if Value.self == Float.self, let number = value as? Float {
      self = .real(Double(number))
    } else if Value.self == Int32.self, let number = value as? Int32 {
      self = .integer(Int64(number))
    } else if Value.self == Int16.self, let number = value as? Int16 {
      self = .integer(Int64(number))
    } else if Value.self == Int8.self, let number = value as? Int8 {
      self = .integer(Int64(number))
    } else if Value.self == UInt.self, let number = value as? UInt {
      self.init(unsigned: UInt64(number))
    } else if Value.self == UInt64.self, let number = value as? UInt64 {
      self.init(unsigned: number)
    } else if Value.self == UInt32.self, let number = value as? UInt32 {
      self = .integer(Int64(number))
    } else if Value.self == UInt16.self, let number = value as? UInt16 {
      self = .integer(Int64(number))
    } else if Value.self == UInt8.self, let number = value as? UInt8 {
      self = .integer(Int64(number))
    } else {
      return nil
    }
  }

  private init(unsigned number: UInt64) {
    self = Int64(exactly: number).map(EncodedNode.integer) ?? .unsigned(number)
  }

  /// Makes a node of types with a more compact encoding than their own.
  init?<Value>(foundation value: Value) {
    if Value.self == Date.self, let date = value as? Date {
      self = .real(date.timeIntervalSinceReferenceDate)
    } else if Value.self == Data.self, let data = value as? Data {
      self = .bytes(data)
    } else if Value.self == URL.self, let url = value as? URL, url.baseURL == nil {
      self = .text(url.absoluteString)
    } else if Value.self == UUID.self, let uuid = value as? UUID {
      self = .text(uuid.uuidString)
    } else {
      return nil
    }
  }
}

extension ModelRecordWriter {
  mutating func write(_ node: EncodedNode) {
    switch node {
    case .null: null()
    case .bool(let value): bool(value)
    case .integer(let value): integer(value)
    case .unsigned(let value): head(0, value)
    case .real(let value): real(value)
    case .text(let value): text(value)
    case .bytes(let value): data(value)
    case .reference(let key): reference(key)
    case .deferred(let encoder): write(encoder.result)
    case .list(let list):
      head(4, UInt64(list.nodes.count))
      enter(list.nodes.count)
      write(list)
      leave()
    case .map(let map):
      let entries = map.ordered
      mapBegins(entries.count, keyTypes: map.isClosed ? [] : map.keyTypes)
      enter(entries.count)
      for (key, node) in entries {
        text(key)
        write(node)
      }
      leave()
    }
  }

  private mutating func write(_ list: EncodedList) {
    if list.order == .kept {
      for node in list.nodes { write(node) }
      return
    }
    // Equal values have equal bytes, whatever the order of a set's elements.
    let (step, depth) = (list.order == .freePairs ? 2 : 1, depth)
    let parts = stride(from: 0, to: list.nodes.count, by: step)
      .map { start in
        ModelRecordWriter(
          part: list.nodes[start..<min(start + step, list.nodes.count)],
          depth: depth
        )
      }
    for part in parts.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) { append(part) }
  }

  private init(part nodes: ArraySlice<EncodedNode>, depth: Int) {
    self.init(capacity: 16, depth: depth)
    for node in nodes { write(node) }
  }
}
