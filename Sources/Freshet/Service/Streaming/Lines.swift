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
    return LinesSequence(base: self, limit: limit, stageDescription: ".lines" + limited) {
      line,
      _ in
      String(decoding: line, as: UTF8.self)
    }
  }
}

// MARK: - Sequence

/// The lines of a body, converted; lines that are converted to `nil` are skipped.
struct LinesSequence<Base: AsyncSequence & Sendable, Element: Sendable>: AsyncSequence, Sendable
where Base.Element == Data, Base.Failure: PipelineFailure {
  let base: Base
  let limit: Int
  let stageDescription: String
  /// The conversion of a line and its position, from 0.
  let convert: @Sendable (Data, Int) -> Element?

  func makeAsyncIterator() -> Iterator {
    let reader = LineReader(base.makeAsyncIterator(), .lineFeed, limit: limit)
    return Iterator(reader: reader, convert: convert)
  }
}

// MARK: - Iterator

extension LinesSequence {
  struct Iterator: AsyncIteratorProtocol {
    var reader: LineReader<Base.AsyncIterator>
    let convert: @Sendable (Data, Int) -> Element?
    var position = 0

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Element? {
      while let line = try await reader.nextOrRest(isolation: actor) {
        defer { position += 1 }
        if let element = convert(line, position) { return element }
      }
      return nil
    }
  }
}

@available(*, unavailable)
extension LinesSequence.Iterator: Sendable {}

// MARK: - Description

extension LinesSequence: PipelineStage {}
