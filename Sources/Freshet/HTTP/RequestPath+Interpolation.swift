public import Foundation

extension RequestPath {
  /// Collects the literals and values of a path, see ``RequestPath``.
  public struct StringInterpolation: StringInterpolationProtocol {
    var builder: RequestPathBuilder

    /// Begins an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      builder = RequestPathBuilder(capacity: literalCapacity + interpolationCount * 16)
    }

    /// Adds text as it is written.
    public mutating func appendLiteral(_ literal: String) {
      builder.append(literal: literal)
    }

    /// Adds text, an integer, a floating-point number or a Boolean as a piece of one segment.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
      builder.append(value: value.description)
    }

    /// Adds the raw value of an enumeration case or of a typed identifier.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
      builder.append(value: value.rawValue.description)
    }

    /// Adds the text of a value that also has a raw value.
    public mutating func appendInterpolation<Value>(_ value: Value)
    where
      Value: RawRepresentable & LosslessStringConvertible,
      Value.RawValue: LosslessStringConvertible
    {
      builder.append(value: value.description)
    }

    /// Adds an identifier as its 36 characters.
    public mutating func appendInterpolation(_ value: UUID) {
      builder.append(value: value.uuidString)
    }

    /// Adds another path, which is encoded already.
    public mutating func appendInterpolation(_ path: RequestPath) {
      builder.append(path: path)
    }

    /// Adds text that is encoded already, as a literal: its slashes make segments, a `?` begins the
    /// query.
    ///
    /// Not for values from outside: they choose where the request goes. What would climb is refused
    /// here too.
    public mutating func appendInterpolation(raw text: String) {
      builder.append(literal: text)
    }
  }
}
