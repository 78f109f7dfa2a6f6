public import Foundation

extension ResourceBody {
  /// The bytes from the beginning, piece by piece; pieces have 256 KiB.
  public var chunks: Chunks { chunks(ofCount: 256 << 10) }

  /// The bytes from the beginning, piece by piece.
  ///
  /// - Parameter count: The size of each piece but the last, in bytes; at least 1.
  /// - Returns: A sequence that reads when it is asked and holds one piece at a time.
  public func chunks(ofCount count: Int) -> Chunks {
    Chunks(body: self, count: max(count, 1))
  }

  /// The bytes of a body, piece by piece.
  ///
  /// - Nothing is read before it is asked for; each iterator starts at the beginning.
  /// - It ends after the last byte, or throws ``FreshetError/file(_:path:)`` once.
  /// - The first complete reading of a body that a store has found verifies it: if the bytes have
  ///   changed on the disk, it throws ``FreshetError/corrupted(expected:actual:url:)`` instead of
  ///   ending, after the pieces were handed out.
  public struct Chunks: AsyncSequence, Sendable {
    let body: ResourceBody
    let count: Int

    /// Makes an iterator that starts at the first byte.
    public func makeAsyncIterator() -> Iterator {
      Iterator(body: body, count: count)
    }
  }
}

extension ResourceBody.Chunks {
  /// Reads one body from its first byte to its last.
  public struct Iterator: AsyncIteratorProtocol {
    private var reader: BodyReader

    init(body: ResourceBody, count: Int) {
      reader = BodyReader(body, count: count)
    }

    /// The next piece, or `nil` after the last byte.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Data? {
      if Task.isCancelled { throw .cancelled }
      return try reader.next()
    }
  }
}

@available(*, unavailable)
extension ResourceBody.Chunks.Iterator: Sendable {}

extension ResourceBody.Chunks: Worded, CustomStringConvertible {
  /// How long the body is, and its pieces.
  public var description: String { words.description }

  package var words: PipelineWords {
    PipelineWords("body of \(body.length) bytes", ".chunks(ofCount: \(count))")
  }
}
