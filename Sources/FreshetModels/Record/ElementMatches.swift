/// Matches the stored elements of a list with the new ones that replace them, each at most once.
///
/// They are found by the part that they surely share with a matching new element, so that the time
/// for each element does not grow with the length of the list.
struct ElementMatches {
  private let stored: [ModelValue]
  private let outline: ElementOutline
  /// The positions of the remaining elements, by their outline's hash, in order.
  private var places: [Int: [Int]] = [:]
  private var isTaken: [Bool]
  /// Returns a Boolean value that indicates whether a value is a back reference, which a read omits.
  private let leadsBack: (ModelValue) -> Bool

  init(
    _ stored: [ModelValue],
    for new: [ModelValue],
    leadsBack: @escaping (ModelValue) -> Bool
  ) {
    self.stored = stored
    self.leadsBack = leadsBack
    outline = ElementOutline(new)
    isTaken = Array(repeating: false, count: stored.count)
    // Backwards, so that the first one is taken from the end.
    for (place, value) in stored.enumerated().reversed() {
      places[outline.hash(value, leadsBack), default: []].append(place)
    }
  }

  /// Takes the first stored element that matches a new one.
  mutating func take(
    for new: ModelValue,
    matching isMatch: (ModelValue) -> Bool
  ) -> ModelValue? {
    let hash = outline.hash(new, leadsBack)
    guard let index = places[hash]?.lastIndex(where: { isMatch(stored[$0]) }),
      let place = places[hash]?.remove(at: index)
    else { return nil }
    isTaken[place] = true
    return stored[place]
  }

  /// Returns elements with the back references that were not taken, in their former positions.
  func put(waysBackInto elements: [ModelValue]) -> [ModelValue] {
    let places = stored.indices.filter { !isTaken[$0] && leadsBack(stored[$0]) }
    if places.isEmpty { return elements }
    var result = elements
    let arePairs = stored.arePairs
    for place in places {
      if !arePairs {
        result.insert(stored[place], at: min(place, result.count))
      } else if !place.isMultiple(of: 2), !result.hasKey(stored[place - 1]) {
        let pair = stored[place - 1...place]
        result.insert(contentsOf: pair, at: min(place - 1, result.count))
      }
    }
    return result
  }
}

// MARK: - Ways back

extension [ModelValue] {
  /// A Boolean value that indicates whether the list is that of a dictionary: alternating keys and models.
  fileprivate var arePairs: Bool {
    count.isMultiple(of: 2) && indices.allSatisfy { self[$0].isReference != $0.isMultiple(of: 2) }
  }

  fileprivate func hasKey(_ key: ModelValue) -> Bool {
    stride(from: 0, to: count, by: 2).contains { self[$0] == key }
  }

  /// Returns the elements that a read does not omit: of a dictionary, neither the keys of back references.
  func withoutWaysBack(_ leadsBack: (ModelValue) -> Bool) -> [ModelValue] {
    guard arePairs else { return filter { !leadsBack($0) } }
    return indices.filter { !leadsBack(self[$0 | 1]) }.map { self[$0] }
  }
}

extension ModelValue {
  fileprivate var isReference: Bool {
    if case .reference = self { true } else { false }
  }
}

// MARK: - Outline

/// The structure that all elements of a list share.
private indirect enum ElementOutline {
  case any
  /// Maps that all have these keys.
  case maps([(key: String, outline: ElementOutline)])

  init(_ values: [ModelValue]) {
    let maps = values.compactMap { value -> [String: ModelValue]? in
      if case .map(let fields) = value { fields } else { nil }
    }
    guard let first = maps.first, maps.count == values.count else {
      self = .any
      return
    }
    let keys = first.keys.filter { key in maps.allSatisfy { $0[key] != nil } }
    self = .maps(
      keys.map { key in (key, ElementOutline(maps.compactMap { $0[key] })) }
    )
  }

  /// Returns a number that is the same for a new element and each stored one that it is a part of.
  func hash(_ value: ModelValue, _ leadsBack: (ModelValue) -> Bool) -> Int {
    var hasher = Hasher()
    hash(value, leadsBack, into: &hasher)
    return hasher.finalize()
  }

  private func hash(
    _ value: ModelValue,
    _ leadsBack: (ModelValue) -> Bool,
    into hasher: inout Hasher
  ) {
    switch (self, value) {
    case (.maps(let keys), .map(let fields)):
      for (key, outline) in keys {
        if let field = fields[key] { outline.hash(field, leadsBack, into: &hasher) }
      }
    case (_, .map):
      hasher.combine(0)
    case (_, .list(let elements)):
      let elements = elements.withoutWaysBack(leadsBack)
      hasher.combine(elements.count)
      for element in elements { Self.any.hash(element, leadsBack, into: &hasher) }
    case (_, .real(let number)) where number.isNaN:
      // Two of them match, whatever their bits.
      hasher.combine(ModelValue.real(.nan))
    default:
      hasher.combine(leadsBack(value) ? ModelValue.null : value)
    }
  }
}
