public import FreshetEssentials

extension AsyncSequence where Self: Sendable, Element == Data, Failure: PipelineFailure {
  /// Splits a body into lines of text.
  ///
  /// - A line ends at LF or CRLF, which is removed; the last one need not have an end.
  /// - Empty lines are included. A byte order mark at the beginning is removed.
  /// - Text is UTF-8; invalid bytes become U+FFFD.
  /// - A line is delivered as soon as its end has arrived; at most one is buffered.
  ///
  /// - Parameter limit: The longest line, in bytes; 1 MiB by default. A longer one fails with
  ///   ``FreshetError/limitExceeded(_:url:)``.
  /// - Returns: The lines in order.
  public func lines(limit: Int = 1 << 20) -> some AsyncSequence<String, Failure> & Sendable {
    let limited = PipelineText.parameters(PipelineText.unless(1 << 20, limit, "limit"))
    return ConvertSequence(
      LinesSequence(base: self, limit: limit),
      ".lines" + limited,
      failure: { $0 },
      convert: { element throws(Failure) in String(decoding: element.line, as: UTF8.self) }
    )
  }
}

// MARK: - Sequence

/// The lines of a body, with their positions, from 0.
struct LinesSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Data, Base.Failure: PipelineFailure {
  typealias Element = (line: Data, position: Int)

  let base: Base
  let limit: Int

  func makeAsyncIterator() -> Iterator {
    Iterator(reader: LineReader(base.makeAsyncIterator(), .lineFeed, limit: limit))
  }
}

// MARK: - Iterator

extension LinesSequence {
  struct Iterator: AsyncIteratorProtocol {
    var reader: LineReader<Base.AsyncIterator>
    var position = 0

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Element? {
      defer { position += 1 }
      return try await reader.nextOrRest().map { ($0, position) }
    }
  }
}

@available(*, unavailable)
extension LinesSequence.Iterator: Sendable {}

// MARK: - Description

extension LinesSequence: PipelineStage {
  var stageDescription: String { "" }
}
