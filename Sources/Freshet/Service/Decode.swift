public import Foundation

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Decodes bodies.
  ///
  /// - Decoding runs off the caller's actor. A cancelled task ends it between the elements of a
  ///   top-level array, at the latest when it is done.
  /// - An empty body, as after 204, 205 or HEAD, is an error unless the type is optional or ``Empty``.
  /// - It ends with the first failure, of several pages too.
  /// - The raw body stays reachable, ``Response/body``.
  /// - An error response that no stage above has accepted fails with
  ///   ``FreshetError/status(_:body:)``, even if its body could be decoded.
  ///
  /// - Parameters:
  ///   - type: What bodies become.
  ///   - decoding: How, such as ``Decoding/propertyList``, ``Decoding/text`` or
  ///     ``Decoding/lenient(with:)``.
  /// - Returns: The same events; it fails with ``FreshetError/decoding(_:head:body:)``, which names
  ///   the key path and shows a short excerpt without secrets.
  public func decode<Value: Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value>
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    DecodeSequence(base: self, decoding: decoding)
  }

  /// Decodes bodies from JSON, see ``Decoding/json``; `Data` becomes the bytes as they are.
  ///
  /// - Parameter type: What bodies become.
  /// - Returns: The same events.
  public func decode<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) -> some AsyncSequence<Event<Response<Value>>, Failure> & Sendable {
    DecodeSequence(base: self, decoding: .standard)
  }
}

// MARK: - Sequence

struct DecodeSequence<Base: AsyncSequence & Sendable, Value: Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Response<Data>>, Base.Failure: PipelineFailure {
  let base: Base
  let decoding: Decoding<Value>

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
  var stageDescription: String { ".decode(\(Value.self))" }
}
