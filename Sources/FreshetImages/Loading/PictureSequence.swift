import Freshet
import FreshetEssentials

/// Decodes the resources of a pipeline.
///
/// - Progress passes unchanged. A stale copy that cannot be decoded is omitted; a final one fails.
/// - The stored copies of a final one that cannot be decoded expire, so that the next load validates them.
/// - Bytes with the digest of the request's cached picture are not decoded again.
/// - Arriving bytes are decoded as previews, if the progress contains them.
/// - Decoding runs on background threads.
struct PictureSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Resource>, Base.Failure == FreshetError {
  let base: Base
  let workshop: PictureDecodingPipeline
  let identity: ImageRequest.Identity

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), workshop: workshop, identity: identity)
  }
}

extension PictureSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let workshop: PictureDecodingPipeline
    let identity: ImageRequest.Identity

    /// The number of bytes at which the next preview is decoded.
    fileprivate var nextLook = 1

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ImageError) -> Event<LoadStep>? {
      while true {
        switch try await pull() {
        case nil: return nil
        case .progress(let progress):
          // Ending the iteration ends the transfer.
          let length = Swift.max(progress.completed, progress.total ?? 0)
          if !progress.isSent, length > workshop.limits.bytes { throw .tooLarge(.bytes(length)) }
          if let picture = await look(at: progress) { return .value(.arriving(picture)) }
          return .progress(progress)
        case .value(let resource):
          do throws(ImageError) {
            return .value(.image(try await workshop.picture(of: resource, for: identity)))
          } catch {
            guard resource.isFinal || error == .resource(.cancelled) else { continue }
            if error.isOfBytes { await workshop.expireCopies(of: resource) }
            throw error
          }
        }
      }
    }

    /// Returns a preview of the arriving picture, which is decoded each time the bytes have doubled.
    private mutating func look(at progress: TransferProgress) async -> Picture? {
      guard progress.completed >= nextLook, progress.completed != progress.total,
        let body = progress.body
      else { return nil }
      let look = await workshop.preview(of: body, for: identity)
      // More may have arrived until a thread was free.
      nextLook = Swift.max(Int(progress.completed), look?.length ?? 0) * 2
      return look?.picture
    }

    private mutating func pull() async throws(ImageError) -> Event<Resource>? {
      do throws(FreshetError) {
        return try await base.next(isolation: #isolation)
      } catch {
        throw .resource(error)
      }
    }
  }
}

@available(*, unavailable)
extension PictureSequence.Iterator: Sendable {}

extension PictureSequence: PipelineStage {
  var stageDescription: String {
    let target = identity.target.map {
      "target: \($0.width)×\($0.height) at \($0.scale), .\($0.mode.rawValue)"
    }
    let list = identity.processors.map(\.description).joined(separator: ", ")
    let parameters = [
      target, identity.animation == .still ? "animation: .still" : nil,
      list.isEmpty ? nil : "processors: [\(list)]",
    ]
    return ".picture(\(parameters.compactMap(\.self).joined(separator: ", ")))"
  }
}
