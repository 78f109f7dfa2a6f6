import CZlib
import FreshetEssentials

/// A body that is compressed while it is pulled.
struct GzipChunks: AsyncSequence, Sendable {
  let body: RequestBody

  func makeAsyncIterator() -> Iterator { Iterator(body: body) }

  struct Iterator: AsyncIteratorProtocol {
    private var base: any AsyncIteratorProtocol<Data, any Error>
    private let deflater = Deflater(.gzip)
    private var isFinished = false

    init(body: RequestBody) {
      base = body.chunks.anyIterator
    }

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Data? {
      while !isFinished {
        let chunk: Data?
        do {
          if Task.isCancelled { throw FreshetError.cancelled }
          chunk = try await base.next(isolation: actor)
        } catch {
          // The trailer must not follow, or the truncated body would seem complete.
          isFinished = true
          throw error
        }
        isFinished = chunk == nil
        let compressed = deflater.deflate(chunk ?? Data(), isFinished ? Z_FINISH : Z_NO_FLUSH)
        if !compressed.isEmpty { return compressed }
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension GzipChunks.Iterator: Sendable {}
