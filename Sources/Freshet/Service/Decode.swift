public import FreshetEssentials

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Decodes bodies.
  ///
  /// - Decoding runs off the caller's actor. Cancelling the task ends it between the elements of a
  ///   top-level array; other bodies are decoded to their end first.
  /// - An empty body, as after 204, 205 or HEAD, is an error unless the type is optional or ``EmptyResponse``.
  /// - The sequence ends with the first failure, also for several pages.
  /// - The raw body stays available as ``Response/body``.
  /// - An error response that no stage above has accepted fails with
  ///   ``FreshetError/status(_:body:)``, even if its body could be decoded.
  ///
  /// - Parameters:
  ///   - type: The type of the decoded bodies.
  ///   - decoding: The decoding, such as ``Decoding/propertyList``, ``Decoding/text`` or
  ///     ``Decoding/lenient(keys:with:)``.
  /// - Returns: The events with decoded values; the sequence fails with
  ///   ``FreshetError/decoding(_:head:body:)``, which contains the key path and a short excerpt
  ///   without secrets.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    DecodeSequence(base: self, decoding: decoding)
  }

  /// Decodes bodies from JSON, see ``Decoding/json``; for `Data`, the bytes are returned unchanged.
  ///
  /// Also a `String` is one of JSON, in quotation marks; other text is decoded with ``Decoding/text``.
  ///
  /// - Parameter type: The type of the decoded bodies.
  /// - Returns: The events with decoded values.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    DecodeSequence(base: self, decoding: .standard)
  }

  /// Decodes bodies from JSON whose members stand elsewhere than the model's properties say.
  ///
  /// ```swift
  /// let people = client.send(.get("people"))
  ///   .unwrap(at: "results")
  ///   .decode([Person].self, keys: ["firstName": "name.first", "picture": "picture.medium"])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - keys: The paths of properties, see ``Decoding/json(keys:_:)``.
  /// - Returns: The same events.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type,
    keys: [String: PayloadPath]
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    DecodeSequence(base: self, decoding: .json(keys: keys))
  }
}

// MARK: - Sequence

struct DecodeSequence<Base: AsyncSequence & Sendable, Value: Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Response<Data>>, Base.Failure: PipelineFailure {
  let base: Base
  let decoding: Decoding<Value>
  /// The type of an envelope around the value, if it is a model of the app.
  var envelope: (any Any.Type)?

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), decoding: decoding)
  }
}

// MARK: - Iterator

extension DecodeSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let decoding: Decoding<Value>
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Event<Response<Value>>? {
      guard !isOver else { return nil }
      switch try await base.next(isolation: actor) {
      case nil: return nil
      case .progress(let progress): return .progress(progress)
      case .value(let response):
        do {
          return .value(try await decoding.decode(apart: response))
        } catch {
          isOver = true
          throw Base.Failure(error)
        }
      }
    }
  }
}

@available(*, unavailable)
extension DecodeSequence.Iterator: Sendable {}

// MARK: - Description

extension DecodeSequence: PipelineStage {
  var stageDescription: String {
    envelope.map { ".unwrap(as: \($0))" } ?? ".decode(\(Value.self))"
  }
}
