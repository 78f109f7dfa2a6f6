public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Extracts the payload from its envelope: the value becomes the JSON at a path, as bytes.
  ///
  /// - The envelope stays available: ``Response/body`` is the whole body, and
  ///   ``Response/sibling(at:as:with:)`` decodes its other members.
  /// - A payload that is missing or `null` is an error, unless `decode` follows immediately and its
  ///   type is optional or ``EmptyResponse``.
  /// - An empty body, as after 204 or HEAD, has no payload either.
  /// - The path is found without parsing the body; `decode` parses the payload only.
  /// - An error response that no stage above has accepted fails with
  ///   ``FreshetError/status(_:body:)``, because errors have no envelope.
  ///
  /// ```swift
  /// let tweets = client.send(.get("home_timeline.json"))
  ///   .reject(as: TwitterError.self)
  ///   .unwrap(at: "data.items")
  ///   .decode([Tweet].self)
  /// ```
  ///
  /// - Parameter path: The path of the payload; `0` is the first element of an array, and a
  ///   backslash before a dot makes it a part of the key.
  /// - Returns: The events; the sequence fails with ``FreshetError/decoding(_:head:body:)`` if
  ///   there is no payload, or the body is no JSON in UTF-8.
  public func unwrap(at path: PayloadPath) -> UnwrapSequence<Self> {
    UnwrapSequence(base: self, path: path)
  }
}

// MARK: - Sequence

/// Responses with their payloads, see `unwrap(at:)`.
public struct UnwrapSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Response<Data>>, Base.Failure: PipelineFailure {
  let base: Base
  let path: PayloadPath
  /// A Boolean value that indicates whether the decoding behind it decides about an absent payload.
  var isAbsenceDeferred = false

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    let payloads = ConvertSequence(base, "") {
      [path, isAbsenceDeferred] response throws(FreshetError) in
      let payload = try await response.unwrapped(apart: path)
      if !isAbsenceDeferred, let absence = payload.record.absence {
        throw payload.decodingFailure(of: "an envelope", absence.rawValue)
      }
      return payload
    }
    return Iterator(base: payloads.makeAsyncIterator())
  }

  /// Decodes the payload, which may be missing or `null` if the type is optional.
  ///
  /// - Parameters:
  ///   - type: The type of the payload.
  ///   - decoding: The decoding of the payload.
  /// - Returns: The events, with the decoded payloads as values.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>
  ) -> some AsyncSequence<Event<Response<Value>>, Base.Failure> & Sendable {
    UnwrapSequence(base: base, path: path, isAbsenceDeferred: true).decoded(by: decoding)
  }

  /// Decodes the payload from JSON; it may be missing or `null` if the type is optional.
  ///
  /// - Parameter type: The type of the payload.
  /// - Returns: The events, with the decoded payloads as values.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) -> some AsyncSequence<Event<Response<Value>>, Base.Failure> & Sendable {
    decode(type, as: .standard)
  }

  /// Decodes the payload from JSON whose members stand elsewhere than the model's properties say.
  ///
  /// - Parameters:
  ///   - type: The type of the payload, which may be missing or `null` if the type is optional.
  ///   - keys: The paths of properties, counted from the payload or from its elements, see
  ///     ``Decoding/json(keys:_:)``.
  /// - Returns: The same events, with the decoded payloads as values.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type,
    keys: [String: PayloadPath]
  ) -> some AsyncSequence<Event<Response<Value>>, Base.Failure> & Sendable {
    decode(type, as: .json(keys: keys))
  }

  /// Decodes the payload, which may be missing or `null` if the type is optional, unless the body has another
  /// media type.
  ///
  /// - Parameters:
  ///   - type: The type of the payload.
  ///   - decoding: The decoding of the payload.
  ///   - types: The media types that bodies may have.
  /// - Returns: The events, with the decoded payloads as values.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>,
    contentType types: ContentTypes
  ) -> some AsyncSequence<Event<Response<Value>>, Base.Failure> & Sendable {
    UnwrapSequence<_>(
      base: base.validated(contentType: types, for: "\(Value.self)"),
      path: path,
      isAbsenceDeferred: true
    )
    .decoded(by: decoding)
  }

  /// Decodes the payload from JSON, which may be missing or `null` if the type is optional, unless the body has
  /// another media type.
  ///
  /// - Parameters:
  ///   - type: The type of the payload.
  ///   - types: The media types that bodies may have, such as ``ContentTypes/json``.
  /// - Returns: The events, with the decoded payloads as values.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type,
    contentType types: ContentTypes
  ) -> some AsyncSequence<Event<Response<Value>>, Base.Failure> & Sendable {
    decode(type, as: .standard, contentType: types)
  }
}

// MARK: - Iterator

extension UnwrapSequence {
  /// Pulls the events and extracts the payloads.
  public struct Iterator: AsyncIteratorProtocol {
    var base: ConvertSequence<Base, Event<Response<Data>>, Base.Failure>.Iterator

    /// Waits for the next event; `nil` after the last, and after a failure.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Event<Response<Data>>? {
      try await base.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension UnwrapSequence.Iterator: Sendable {}

// MARK: - Payload

extension Response<Data> {
  @concurrent
  fileprivate func unwrapped(
    apart path: PayloadPath
  ) async throws(FreshetError) -> Response<Data> {
    try unwrapped(at: path)
  }

  /// Returns the response with the JSON at a path as its value.
  ///
  /// For an absent payload that is `null`, with the reason in its record.
  func unwrapped(at path: PayloadPath) throws(FreshetError) -> Response<Data> {
    try requireAccepted()
    if Task.isCancelled { throw .cancelled }
    guard !DecodingSource(head: head, data: value).isEmpty else {
      return absent(.empty, at: path)
    }
    let range: Range<Int>?
    do {
      range = try JSONScanner.range(of: path, in: value)
    } catch {
      let reason = "the body is not JSON at byte \(error.offset): \(error.reason)"
      throw decodingFailure(of: "an envelope", reason)
    }
    guard let range else { return absent(.missing, at: path) }
    let payload = value.dropFirst(range.lowerBound).prefix(range.count)
    guard !payload.elementsEqual("null".utf8) else { return absent(.null, at: path) }
    return self.payload(payload, at: path)
  }

  private func payload(_ payload: Data, at path: PayloadPath) -> Response<Data> {
    var response = replacing(payload)
    response.record.path = record.path + path
    return response
  }

  private func absent(
    _ absence: ResponseRecord.Absence,
    at path: PayloadPath
  ) -> Response<Data> {
    var response = payload(Data("null".utf8), at: path)
    response.record.absence = absence
    return response
  }
}

// MARK: - Description

extension UnwrapSequence: PipelineDescribable, CustomStringConvertible {
  /// The pipeline up to this stage, one stage on each line.
  package var words: PipelineDescription {
    PipelineDescription(base).adding(".unwrap(at: \"\(path)\")")
  }
}
