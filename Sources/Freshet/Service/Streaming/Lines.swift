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
    LinesSequence(base: self, limit: limit)
  }
}

// MARK: - Sequence

struct LinesSequence<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Element == Data, Base.Failure: PipelineFailure {
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

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> String? {
      let line = try await reader.nextOrRest(isolation: actor)
      return line.map { String(decoding: $0, as: UTF8.self) }
    }
  }
}

@available(*, unavailable)
extension LinesSequence.Iterator: Sendable {}

// MARK: - Description

extension LinesSequence: PipelineStage {
  var stageDescription: String {
    ".lines" + PipelineText.parameters(PipelineText.unless(1 << 20, limit, "limit"))
  }
}
