public import FreshetEssentials

extension Decoding where Value: Decodable {
  /// The default decoding: JSON, or the unchanged bytes for `Data`; for `Data?` it returns `nil`
  /// for an empty body.
  public static var standard: Decoding {
    let optional = Decoding<Data?> { source in
      Decoding<Data?>.Outcome(value: source.data.isEmpty ? nil : source.data)
    }
    return Decoding<Data>.bytes as? Decoding ?? optional as? Decoding ?? .json
  }

  /// Decodes JSON, with a decoder that has the default strategies.
  ///
  /// - The top level may be anything: an object, an array, a string, a number, `null`.
  /// - An empty body is an error, unless the type is optional or ``EmptyResponse``.
  /// - One invalid element of an array fails the whole; ``lenient(keys:with:)`` leaves it out instead.
  /// - Cancelling the task ends the decoding of a top-level array between two elements.
  public static var json: Decoding { .json { JSONDecoder() } }

  /// Decodes JSON, with a decoder of your own.
  ///
  /// - Parameter decoder: A closure that makes the decoder; called once for each response.
  /// - Returns: The decoding, with the guarantees of ``json``.
  public static func json(
    _ decoder: @escaping @Sendable () -> JSONDecoder
  ) -> Decoding {
    json(keys: [:], decoder)
  }

  /// JSON whose members stand elsewhere than the model's properties say.
  ///
  /// ```swift
  /// let people = Decoding<[Person]>.json(keys: [
  ///   "firstName": "name.first", "email": "contacts.0.address",
  /// ])
  /// ```
  ///
  /// - The paths are counted from the object of the model that is asked for, also in arrays, optionals
  ///   and dictionaries of it; every other property stands under its own name. A number is a position
  ///   in an array, and the empty path is the object itself.
  /// - A property that is optional is `nil` if a part of its path is missing or `null`. A part that is
  ///   something else than an object is an error.
  /// - Errors name the path in the JSON. A key that the model does not have is an error too.
  /// - With a decoder that converts keys the paths are of converted keys.
  /// - Keys of the call replace those of the same name of a ``KeyMapped`` model.
  ///
  /// - Parameters:
  ///   - keys: The paths of properties, by the properties' keys.
  ///   - decoder: A closure that makes the decoder; called once for each response.
  /// - Returns: The decoding, with the guarantees of ``json``.
  public static func json(
    keys: [String: PayloadPath],
    _ decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> Decoding {
    // An empty response ignores its body, of whatever type.
    Decoding(Value.self == EmptyResponse.self ? .any : .json) { source in
      if let value = try source.unparsed(Value.self) { return Outcome(value: value) }
      let reader = decoder()
      let data = try reader.checked(source.data)
      if let maps = KeyMaps(for: Value.self, keys: keys) {
        return Outcome(value: try maps.decode(Value.self, by: reader, from: data))
      }
      if let array = Value.self as? any DecodedByElement.Type,
        let value = try array.decoded(by: reader, from: data) as? Value
      {
        return Outcome(value: value)
      }
      return Outcome(value: try reader.decode(Value.self, from: data))
    }
  }
}

extension Decoding where Value: Decodable {
  /// JSON, by a decoder that all responses share.
  ///
  /// ```swift
  /// let decoder = JSONDecoder()
  /// decoder.keyDecodingStrategy = .convertFromSnakeCase
  /// let user = try await client.send(.get("me")).decode(User.self, as: .json(decoder)).output
  /// ```
  ///
  /// - Parameter decoder: The decoder; it is used by several responses at once.
  /// - Returns: The decoding, with the guarantees of ``json``.
  public static func json(_ decoder: JSONDecoder) -> Decoding { .json { decoder } }
}

extension Decoding {
  /// Decodes JSON whose top level is an array, and leaves out and reports invalid elements.
  ///
  /// Elements that were left out are in ``Response/skipped``, each with its position and its
  /// reason: the first 20,000, and the first 50 of them with an excerpt. A body that is no JSON or no array
  /// is still an error.
  ///
  /// ```swift
  /// let tweets = try await client.send(request).decode([Tweet].self, as: .lenient()).value
  /// for failure in tweets.skipped { print(failure) }     // "[3].user: …"
  /// ```
  ///
  /// - Parameters:
  ///   - keys: The paths of the elements' properties, see ``json(keys:_:)``; none by default.
  ///   - decoder: A closure that makes the decoder; called once for each response.
  /// - Returns: The decoding.
  public static func lenient<Element: Decodable & Sendable>(
    keys: [String: PayloadPath] = [:],
    with decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> Decoding where Value == [Element] {
    Decoding(.json) { source in
      guard !source.isEmpty else { throw DecodingFailure.Reason("the body is empty") }
      let maps = KeyMaps(for: Element.self, keys: keys)
      let reader = decoder()
      let array = try reader.decode(
        LenientArray<Element>.self,
        from: try reader.checked(source.data),
        configuration: maps
      )
      if let misnomer = maps?.misnomer { throw DecodingFailure.Reason(misnomer) }
      let skipped = try array.failures(of: Element.self, in: source)
      return Outcome(value: array.elements, skipped: skipped)
    }
  }
}
