/// The properties of a value that were set, which a client does not replace.
///
/// All of one type are equal: values are compared by their properties, and not by which were set.
struct Choices<Property: RawRepresentable<UInt8>>: Sendable, Hashable {
  /// The bits of the properties, as journals store them.
  private(set) var bits: UInt8

  init(bits: UInt8) {
    self.bits = bits
  }

  init(_ properties: Property...) {
    bits = properties.reduce(0) { $0 | $1.rawValue }
  }

  var isEmpty: Bool { bits == 0 }

  func contains(_ property: Property) -> Bool { bits & property.rawValue != 0 }

  mutating func insert(_ property: Property) {
    bits |= property.rawValue
  }

  static func == (left: Self, right: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

/// A part of a request whose properties a client sets where the request does not.
protocol RequestChoices {
  associatedtype Property: RawRepresentable<UInt8>, CaseIterable

  var choices: Choices<Property> { get set }

  /// Sets a property to that of another value.
  mutating func take(_ property: Property, from other: Self)
}

extension RequestChoices {
  /// Returns the value as one in which only these properties were set.
  func choosing(_ bits: UInt8) -> Self {
    var value = self
    value.choices = Choices(bits: bits)
    return value
  }

  /// Sets the properties that were set in the defaults and not here.
  mutating func complete(by defaults: Self, without excluded: Property? = nil) {
    guard !defaults.choices.isEmpty else { return }
    for property in Property.allCases
    where defaults.choices.contains(property) && !choices.contains(property)
      && property.rawValue != excluded?.rawValue
    {
      take(property, from: defaults)
    }
  }
}
