public import FreshetEssentials

extension ResourceBody {
  /// The bytes from the beginning, in pieces of 256 KiB.
  public var chunks: Chunks { chunks(ofCount: 256 << 10) }

  /// Returns the bytes from the beginning in pieces.
  ///
  /// - Parameter count: The size of each piece but the last, in bytes; at least 1.
  /// - Returns: A sequence that reads on demand and holds one piece at a time.
  public func chunks(ofCount count: Int) -> Chunks {
    Chunks(body: self, count: max(count, 1))
  }

  /// The bytes of a body in pieces.
  ///
  /// - Nothing is read in advance; each iterator starts at the beginning.
  /// - It ends after the last byte, or throws ``FreshetError/file(_:path:)`` once.
  /// - The first complete reading of a body from a store verifies it: if the bytes have changed on
  ///   disk, it throws ``FreshetError/corrupted(expected:actual:url:)`` instead of ending, after
  ///   the pieces were delivered.
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

    /// Returns the next piece, or `nil` after the last byte.
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

extension ResourceBody.Chunks: PipelineDescribable, CustomStringConvertible {
  /// The length of the body, and the size of its pieces.
  package var words: PipelineDescription {
    PipelineDescription("body of \(body.length) bytes", ".chunks(ofCount: \(count))")
  }
}
