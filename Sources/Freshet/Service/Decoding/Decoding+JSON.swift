public import Foundation

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
  /// - One invalid element of an array fails the whole; ``lenient(with:)`` leaves it out instead.
  /// - Cancelling the task ends the decoding of a top-level array between two elements.
  public static var json: Decoding { .json { JSONDecoder() } }

  /// Decodes JSON, with a decoder of your own.
  ///
  /// - Parameter decoder: A closure that makes the decoder; called once for each response.
  /// - Returns: The decoding, with the guarantees of ``json``.
  public static func json(
    _ decoder: @escaping @Sendable () -> JSONDecoder
  ) -> Decoding {
    Decoding(.json) { source in
      if let value = try source.unparsed(Value.self) { return Outcome(value: value) }
      if let array = Value.self as? any DecodedByElement.Type,
        let value = try array.decoded(by: decoder(), from: source.data) as? Value
      {
        return Outcome(value: value)
      }
      return Outcome(value: try decoder().decode(Value.self, from: source.data))
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
  /// reason; the first 50 with an excerpt. A body that is no JSON or no array is still an error.
  ///
  /// ```swift
  /// let tweets = try await client.send(request).decode([Tweet].self, as: .lenient()).value
  /// for failure in tweets.skipped { print(failure) }     // "[3].user: …"
  /// ```
  ///
  /// - Parameter decoder: A closure that makes the decoder; called once for each response.
  /// - Returns: The decoding.
  public static func lenient<Element: Decodable & Sendable>(
    with decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
  ) -> Decoding where Value == [Element] {
    Decoding(.json) { source in
      guard !source.isEmpty else { throw DecodingFailure.Reason("the body is empty") }
      let array = try decoder().decode(LenientArray<Element>.self, from: source.data)
      let skipped = try array.failures(of: Element.self, in: source)
      return Outcome(value: array.elements, skipped: skipped)
    }
  }
}
