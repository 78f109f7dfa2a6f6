public import FreshetEssentials

extension RequestPath {
  /// Collects the literals and values of a path, see ``RequestPath``.
  public struct StringInterpolation: StringInterpolationProtocol {
    var builder: RequestPathBuilder

    /// Creates an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      builder = RequestPathBuilder(capacity: literalCapacity + interpolationCount * 16)
    }

    /// Appends text as it is written.
    public mutating func appendLiteral(_ literal: String) {
      builder.append(literal: literal)
    }

    /// Appends text, an integer, a floating-point number or a Boolean as a part of one segment.
    public mutating func appendInterpolation(_ value: some LosslessStringConvertible) {
      builder.append(value: value.description)
    }

    /// Appends the raw value of an enumeration case or of a typed identifier.
    public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: LosslessStringConvertible {
      builder.append(value: value.rawValue.description)
    }

    /// Appends the text of a value that also has a raw value.
    public mutating func appendInterpolation<Value>(_ value: Value)
    where
      Value: RawRepresentable & LosslessStringConvertible,
      Value.RawValue: LosslessStringConvertible
    {
      builder.append(value: value.description)
    }

    /// Appends an identifier as its 36 characters.
    public mutating func appendInterpolation(_ value: UUID) {
      builder.append(value: value.uuidString)
    }

    /// Appends segments with slashes between them, each encoded and checked like a single value.
    ///
    /// Use it for paths whose depth is not known before. An empty sequence is refused when the URL
    /// is created, as an empty segment is.
    public mutating func appendInterpolation(segments: some Sequence<some StringProtocol>) {
      builder.append(segments: segments)
    }

    /// Appends another path, which is already encoded.
    public mutating func appendInterpolation(_ path: RequestPath) {
      builder.append(path: path)
    }

    /// Appends text that is already encoded, as a literal: its slashes separate segments, and a `?`
    /// begins the query.
    ///
    /// Do not use it for untrusted values, which could choose the target of the request. Segments that
    /// are `.` or `..` are refused here too.
    public mutating func appendInterpolation(raw text: String) {
      builder.append(literal: text)
    }
  }
}
