public import Foundation

extension AsyncSequence
where Self: Sendable, Element == Event<Response<Data>>, Failure: PipelineFailure {
  /// Extracts the payload from an envelope that is a model of your own.
  ///
  /// - The envelope stays with the response, typed: ``Response/envelope(as:)``.
  /// - The envelope's model decides whether the payload may be missing or `null`: if the property
  ///   is not optional, its absence is an error.
  /// - The body is parsed once, off the caller's actor.
  ///
  /// - Parameters:
  ///   - type: The type of the envelope.
  ///   - decoding: The decoding of the envelope; JSON by default.
  /// - Returns: The events, with the payloads as values; the sequence fails with
  ///   ``FreshetError/decoding(_:head:body:)`` if the body is not the envelope, and with
  ///   ``FreshetError/status(_:body:)`` for an error response that no stage above has accepted.
  public func unwrap<Wrapper: Envelope>(
    as type: Wrapper.Type,
    with decoding: Decoding<Wrapper> = .json
  ) -> some AsyncSequence<Event<Response<Wrapper.Payload>>, Failure> & Sendable {
    UnwrapEnvelopeSequence(
      base: self,
      envelope: type,
      decoding: .unwrapping(type, with: decoding)
    )
  }
}

// MARK: - Sequence

struct UnwrapEnvelopeSequence<Base: AsyncSequence & Sendable, Payload: Sendable>: AsyncSequence,
  Sendable
where Base.Element == Event<Response<Data>>, Base.Failure: PipelineFailure {
  let base: Base
  let envelope: any Any.Type
  let decoding: Decoding<Payload>

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), decoding: decoding)
  }
}

// MARK: - Iterator

extension UnwrapEnvelopeSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let decoding: Decoding<Payload>
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Event<Response<Payload>>? {
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
extension UnwrapEnvelopeSequence.Iterator: Sendable {}

// MARK: - Description

extension UnwrapEnvelopeSequence: PipelineStage {
  var stageDescription: String { ".unwrap(as: \(envelope))" }
}
