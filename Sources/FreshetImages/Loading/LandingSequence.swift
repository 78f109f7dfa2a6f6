import Freshet

/// Calls a closure before a load's last event is handed on, whatever the end is.
///
/// Who asks after that event begins a new load: an answer is never older than its question.
struct LandingSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<LoadedImage>, Base.Failure == ImageError {
  let base: Base
  let land: @Sendable () -> Void

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), land: land)
  }

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let land: @Sendable () -> Void

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ImageError) -> Event<LoadedImage>? {
      do throws(ImageError) {
        let event = try await base.next(isolation: actor)
        switch event {
        case nil: land()
        case .value(let image) where image.isFinal: land()
        case .value, .progress: break
        }
        return event
      } catch {
        land()
        throw error
      }
    }
  }
}

@available(*, unavailable)
extension LandingSequence.Iterator: Sendable {}
