/// The places of a model's properties in one object; not generic, which the types of keys would make it.
///
/// Its objects are behind an address, so that none is retained for each property. What changes for
/// each property is not checked for exclusive access at run time: that was a third of what reading
/// by keys costs.
final class MappedPlaces {
  typealias Object = KeyedDecodingContainer<AnyCodingKey>

  let decoder: any Decoder
  let map: KeyMap
  let maps: KeyMaps
  /// The model's own object, and after it the map's parents, of which only those that are ``Found/open``
  /// are initialized.
  private let objects: UnsafeMutablePointer<Object>
  /// The state of the search for each parent.
  @exclusivity(unchecked) private var found: [Found]
  /// The number of properties that were asked for.
  @exclusivity(unchecked) private var number = 0

  private enum Found {
    case unknown
    case open
    case absent
  }

  /// The place of a property.
  enum Place {
    /// A member of an object, which lives as long as the places.
    case member(UnsafeMutablePointer<Object>, AnyCodingKey)
    case decoder(any Decoder)
    case absent
  }

  init(decoder: any Decoder, base: Object, map: KeyMap, maps: KeyMaps) {
    self.decoder = decoder
    self.map = map
    self.maps = maps
    objects = .allocate(capacity: map.parents.count + 1)
    objects.initialize(to: base)
    found = Array(repeating: .unknown, count: map.parents.count)
  }

  deinit {
    for position in map.parents.indices where found[position] == .open {
      (objects + position + 1).deinitialize(count: 1)
    }
    objects.deinitialize(count: 1)
    objects.deallocate()
  }

  var base: Object { objects.pointee }

  func place(of name: String) throws -> Place {
    let index = map.index(of: name, after: number)
    number += 1
    guard index >= 0 else { return .member(objects, AnyCodingKey.text(name)) }
    guard !map.entries[index].isIrregular else {
      return try decoder(at: map.entries[index].steps).map { .decoder($0) } ?? .absent
    }
    let parent = map.entries[index].parent
    guard let object = parent < 0 ? objects : try object(parent) else { return .absent }
    return .member(object, map.entries[index].key)
  }

  /// Returns an object inside this one; `nil` if it is missing or null.
  private func object(_ position: Int) throws -> UnsafeMutablePointer<Object>? {
    switch found[position] {
    case .unknown: try open(position)
    case .open: objects + position + 1
    case .absent: nil
    }
  }

  private func open(_ position: Int) throws -> UnsafeMutablePointer<Object>? {
    let (parent, key) = (map.parents[position].parent, map.parents[position].key)
    guard let outer = parent < 0 ? objects : try object(parent),
      try !map.isSparse || !isAbsent(key, in: outer.pointee)
    else {
      found[position] = .absent
      return nil
    }
    let place = objects + position + 1
    do {
      place.initialize(
        to: try outer.pointee.nestedContainer(keyedBy: AnyCodingKey.self, forKey: key)
      )
      found[position] = .open
      return place
    } catch {
      guard try isAbsent(key, in: outer.pointee) else { throw error }
      map.isSparse = true
      found[position] = .absent
      return nil
    }
  }

  private func isAbsent(_ key: AnyCodingKey, in object: Object) throws -> Bool {
    try !object.contains(key) || object.decodeNil(forKey: key)
  }

  /// Returns the decoder at a path through objects and arrays; `nil` if a step is missing or null.
  private func decoder(at steps: [String]) throws -> (any Decoder)? {
    var decoder = decoder
    for step in steps {
      guard try !decoder.singleValueContainer().decodeNil() else { return nil }
      if let index = ASCII.integer(step), var elements = try? decoder.unkeyedContainer() {
        guard index < elements.count ?? 0 else { return nil }
        for _ in 0..<index { _ = try elements.superDecoder() }
        decoder = try elements.superDecoder()
      } else {
        let object = try decoder.container(keyedBy: AnyCodingKey.self)
        guard object.contains(AnyCodingKey.text(step)) else { return nil }
        decoder = try object.superDecoder(forKey: AnyCodingKey.text(step))
      }
    }
    return decoder
  }

  /// The decoder of a member, or `nil` if there is none.
  func inner(_ name: String) throws -> (any Decoder)? {
    switch try place(of: name) {
    case .member(let object, let key): try Self.decoder(of: key, in: object.pointee)
    case .decoder(let decoder): decoder
    case .absent: nil
    }
  }

  private static func decoder(of key: AnyCodingKey, in object: Object) throws -> (any Decoder)? {
    guard object.contains(key) else { return nil }
    return try object.superDecoder(forKey: key)
  }

  func contains(_ name: String) -> Bool {
    switch try? place(of: name) {
    case .member(let object, let key): object.pointee.contains(key)
    case .decoder: true
    // What stands in the way is an error of the property's own.
    case nil: true
    case .absent: false
    }
  }

  func isNil(_ name: String) throws -> Bool {
    switch try place(of: name) {
    case .member(let object, let key): try object.pointee.decodeNil(forKey: key)
    case .decoder(let decoder): try decoder.singleValueContainer().decodeNil()
    case .absent: throw missing(name)
    }
  }

  func missing(_ name: String) -> DecodingError {
    let steps = map.index(of: name).map { map.entries[$0].steps } ?? [name]
    let context = DecodingError.Context(
      codingPath: base.codingPath + steps.dropLast().map { AnyCodingKey.text($0) },
      debugDescription: "There is nothing."
    )
    return .keyNotFound(AnyCodingKey.text(steps.last ?? name), context)
  }

  @inline(__always)
  func value<Value: Decodable>(
    _ name: String,
    _ member: (Object, AnyCodingKey) throws -> Value
  ) throws -> Value {
    switch try place(of: name) {
    case .member(let object, let key): return try member(object.pointee, key)
    case .decoder(let decoder): return try decoder.singleValueContainer().decode(Value.self)
    case .absent: throw missing(name)
    }
  }

  @inline(__always)
  func optional<Value: Decodable>(
    _ name: String,
    _ member: (Object, AnyCodingKey) throws -> Value?
  ) throws -> Value? {
    switch try place(of: name) {
    case .member(let object, let key): return try member(object.pointee, key)
    case .decoder(let decoder): return try decoder.singleValueContainer().decode(Value?.self)
    case .absent: return nil
    }
  }
}
