public import Foundation

/// What is stored for a field, as ``PersistableModel/migrate(_:from:)`` sees it.
public enum ModelValue: Sendable, Hashable {
  /// An explicit nothing; an optional that is `nil` has no field at all, usually.
  case null
  /// A truth value.
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
  /// Another model, which is stored as itself.
  indirect case reference(model: String, id: ModelValue)
}

extension ModelValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A floating-point number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An explicit nothing.
  public init(nilLiteral: ()) { self = .null }
}
