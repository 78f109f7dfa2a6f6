public import FreshetEssentials

/// The bytes of a resource at a server, for random access.
///
/// - They are fetched in aligned blocks, each with a range request of its own, which all readers of
///   the client share. With a ``DiskStore``, received blocks are stored across launches, and only
///   missing ones are requested.
/// - Sequential reads fetch the next blocks in advance, also those of up to four readers that take turns.
/// - No read mixes two versions, which a strong validator distinguishes. If the resource changes during a
///   read, ``read(_:)`` starts again, and ``chunks(in:)``, whose first pieces may have been used, fails.
/// - At most ``Configuration/memoryLimit`` bytes are held in memory.
/// - A resource without ranges, or without a strong validator, is fetched as a whole, in memory or
///   in a file.
///
/// ```swift
/// let film = client.bytes(at: url)
/// for try await chunk in film.chunks(in: 0..<1 << 20) { player.append(chunk) }
/// ```
public struct RemoteBytes: Sendable {
  let blocks: RemoteBlocks

  init(_ blocks: RemoteBlocks) {
    self.blocks = blocks
  }

  /// The sizes of blocks and of the memory for them.
  public struct Configuration: Sendable, Hashable {
    /// The size of a block in bytes; 256 KiB by default, at least 4 KiB.
    public var blockSize = 256 << 10
    /// The largest size of the blocks in memory, in bytes; 16 MiB by default, at least two blocks.
    public var memoryLimit = 16 << 20
    /// The largest number of blocks that are fetched in advance for one reader; 8 by default, 0 for none.
    ///
    /// Those of all readers together are at most a quarter of the blocks that ``memoryLimit`` has room for.
    public var readAhead = 8

    /// Makes the default configuration.
    public init() {}
  }

  /// The length of the whole in bytes.
  public var length: Int64 {
    get async throws(FreshetError) { try await blocks.length() }
  }

  /// Reads some of the bytes.
  ///
  /// - Parameter range: The positions of the bytes; positions past the end are ignored.
  /// - Returns: The bytes, all of one version.
  /// - Throws: ``FreshetError/invalidRequest(_:url:)`` for a range that begins before 0;
  ///   ``FreshetError/invalidResponse(_:url:)`` if the resource keeps changing; the failure of
  ///   fetching, and ``FreshetError/cancelled``.
  public func read(_ range: Range<Int64>) async throws(FreshetError) -> Data {
    try await blocks.read(range)
  }

  /// Returns the bytes of a range in pieces.
  ///
  /// - Parameter range: The positions of the bytes; all by default.
  /// - Returns: A cold sequence of pieces, each of at most one block.
  public func chunks(in range: Range<Int64> = 0..<Int64.max) -> Chunks {
    Chunks(blocks: blocks, range: range)
  }

  /// The bytes of a range in pieces.
  ///
  /// - Nothing is requested before the first piece; each iterator begins at the range's beginning.
  /// - All pieces are of one version: it throws ``FreshetError/corrupted(expected:actual:url:)`` if
  ///   the resource changes after the first one.
  public struct Chunks: AsyncSequence, Sendable {
    let blocks: RemoteBlocks
    let range: Range<Int64>

    /// Makes an iterator.
    public func makeAsyncIterator() -> Iterator {
      Iterator(blocks: blocks, range: range)
    }
  }
}

extension RemoteBytes.Chunks {
  /// Reads a range once.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let blocks: RemoteBlocks
    fileprivate var range: Range<Int64>
    fileprivate var version: RemoteBlocks.Version?
    fileprivate var isOver = false

    /// Returns the next piece, or `nil` after the last one.
    ///
    /// - Parameter actor: The actor on which the caller runs.
    /// - Returns: The piece.
    /// - Throws: The errors of ``RemoteBytes/read(_:)``, and
    ///   ``FreshetError/corrupted(expected:actual:url:)``.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Data? {
      guard !isOver, !range.isEmpty else { return nil }
      isOver = true
      let (piece, version) = try await blocks.piece(of: range, like: version)
      guard !piece.isEmpty else { return nil }
      self.version = version
      range = range.lowerBound + Int64(piece.count)..<range.upperBound
      isOver = false
      return piece
    }
  }
}

@available(*, unavailable)
extension RemoteBytes.Chunks.Iterator: Sendable {}

extension RemoteBytes.Chunks: PipelineDescribable, CustomStringConvertible {
  /// The request.
  package var words: PipelineDescription { PipelineDescription("\(blocks.request)", ".chunks") }
}
