import FreshetEssentials

extension Decoding where Value: Decodable {
  /// Decodes a property list, as XML or binary.
  ///
  /// An empty body is an error, unless the type is optional or ``EmptyResponse``.
  public static var propertyList: Decoding {
    Decoding { source in
      if let value = try source.unparsed(Value.self) { return Outcome(value: value) }
      return Outcome(value: try PropertyListDecoder().decode(Value.self, from: source.data))
    }
  }
}
