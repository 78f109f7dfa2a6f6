public import FreshetEssentials

/// The stored value of a field, as ``PersistableModel/migrate(_:from:)`` receives it.
public enum ModelValue: Sendable, Hashable {
  /// An explicit `nil`; an optional that is `nil` usually has no field at all.
  case null
  /// A Boolean value.
  case bool(Bool)
  /// A number of any integer type.
  case integer(Int64)
  /// A number too large for ``integer(_:)``.
  case unsigned(UInt64)
  /// A number of a floating-point type; a date in seconds since 2001.
  case real(Double)
  /// A text; also a UUID, and a URL.
  case text(String)
  /// Data.
  case bytes(Data)
  /// The elements of an array or a set.
  case list([ModelValue])
  /// The fields of a struct, or the entries of a dictionary.
  case map([String: ModelValue])
  /// Another model, which is stored separately.
  indirect case reference(model: String, id: ModelValue)
}

extension ModelValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// Makes a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Makes an integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a floating-point number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Makes a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes an explicit `nil`.
  public init(nilLiteral: ()) { self = .null }
}
