import FreshetEssentials

extension Decoding where Value: Decodable {
  /// Decodes a property list, as XML or binary.
  ///
  /// - An empty body is an error, unless the type is optional or ``EmptyResponse``.
  /// - So is a list in XML or binary that is nested more than 128 levels deep, or one that contains itself.
  public static var propertyList: Decoding {
    Decoding { source in
      if let value = try source.unparsed(Value.self) { return Outcome(value: value) }
      return Outcome(value: try PropertyList.decode(Value.self, from: source.data))
    }
  }
}
