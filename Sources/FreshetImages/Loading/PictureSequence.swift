import Foundation
import Freshet

/// Decodes what a resource pipeline delivers.
///
/// - Progress passes. A stale copy that cannot be decoded is left out; a final one that cannot fails.
/// - Bytes with the digest of the picture that the cache holds for the request are not decoded again.
/// - Decoding runs on threads of its own.
struct PictureSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Resource>, Base.Failure == FreshetError {
  let base: Base
  let workshop: PictureWorkshop
  let identity: ImageRequest.Identity

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), workshop: workshop, identity: identity)
  }
}

extension PictureSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let workshop: PictureWorkshop
    let identity: ImageRequest.Identity

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ImageError) -> Event<LoadedImage>? {
      while true {
        switch try await pull(isolation: actor) {
        case nil: return nil
        case .progress(let progress): return .progress(progress)
        case .value(let resource):
          do throws(ImageError) {
            return .value(try await workshop.picture(of: resource, for: identity))
          } catch {
            if resource.isFinal || error == .resource(.cancelled) { throw error }
          }
        }
      }
    }

    private mutating func pull(
      isolation actor: isolated (any Actor)?
    ) async throws(ImageError) -> Event<Resource>? {
      do throws(FreshetError) {
        return try await base.next(isolation: actor)
      } catch {
        throw .resource(error)
      }
    }
  }
}

@available(*, unavailable)
extension PictureSequence.Iterator: Sendable {}
