import Freshet
import FreshetEssentials

/// Decodes the resources of a pipeline.
///
/// - Progress passes unchanged. A stale copy that cannot be decoded is omitted; a final one fails.
/// - Bytes with the digest of the request's cached picture are not decoded again.
/// - Arriving bytes are decoded as previews, if the progress contains them.
/// - Decoding runs on background threads.
struct PictureSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Event<Resource>, Base.Failure == FreshetError {
  let base: Base
  let workshop: PictureDecodingPipeline
  let identity: ImageRequest.Identity
  /// A Boolean value that indicates whether the first progress is that of the request's body.
  let sendsBody: Bool

  func makeAsyncIterator() -> Iterator {
    Iterator(self)
  }
}

extension PictureSequence {
  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    private let workshop: PictureDecodingPipeline
    private let identity: ImageRequest.Identity
    /// The progress of the request's body, until that of the response.
    private var sending: TransferProgress?

    /// The number of bytes at which the next preview is decoded.
    private var nextLook = 1

    init(_ sequence: PictureSequence) {
      base = sequence.base.makeAsyncIterator()
      workshop = sequence.workshop
      identity = sequence.identity
      if sequence.sendsBody { sending = TransferProgress(completed: 0) }
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ImageError) -> Event<LoadStep>? {
      while true {
        switch try await pull(isolation: actor) {
        case nil: return nil
        case .progress(let progress):
          // Ending the iteration ends the transfer.
          let length = Swift.max(progress.completed, progress.total ?? 0)
          if !isSent(progress), length > workshop.limits.bytes { throw .tooLarge(.bytes(length)) }
          if let picture = await look(at: progress) { return .value(.arriving(picture)) }
          return .progress(progress)
        case .value(let resource):
          do throws(ImageError) {
            return .value(.image(try await workshop.picture(of: resource, for: identity)))
          } catch {
            if resource.isFinal || error == .resource(.cancelled) { throw error }
          }
        }
      }
    }

    /// Returns whether a progress is that of the request's body: the response's begins with fewer bytes, or has
    /// another total.
    private mutating func isSent(_ progress: TransferProgress) -> Bool {
      guard let sending else { return false }
      let isFirst = sending.completed == 0
      let isSame = sending.completed <= progress.completed && sending.total == progress.total
      self.sending = isFirst || isSame ? progress : nil
      return isFirst || isSame
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
