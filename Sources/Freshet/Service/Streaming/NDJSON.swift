public import FreshetEssentials

extension AsyncSequence where Self: Sendable, Element == Data, Failure: PipelineFailure {
  /// Decodes a body that has a JSON value on each line (NDJSON, JSON Lines).
  ///
  /// - Values are delivered as soon as their line has arrived; at most one line is buffered.
  /// - Lines of only white space are skipped.
  /// - Decoding runs off the caller's actor.
  /// - An invalid line fails the stream with ``FreshetError/decoding(_:head:body:)``, whose key
  ///   path begins with the line's position, from 0.
  ///
  /// ```swift
  /// for try await change in client.stream(.get("changes")).ndjson(Change.self) { apply(change) }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the values.
  ///   - decoding: The decoding of a line; JSON by default.
  ///   - limit: The longest line, in bytes; 1 MiB by default. A longer one fails with
  ///     ``FreshetError/limitExceeded(_:url:)``.
  /// - Returns: The values in order.
  public func ndjson<Value: Decodable & Sendable>(
    _ type: Value.Type,
    as decoding: Decoding<Value> = .json,
    limit: Int = 1 << 20
  ) -> some AsyncSequence<Value, Failure> & Sendable {
    NDJSONSequence(base: self, decoding: decoding, limit: limit)
  }
}

// MARK: - Sequence

struct NDJSONSequence<Base: AsyncSequence & Sendable, Value: Sendable>: AsyncSequence, Sendable
where Base.Element == Data, Base.Failure: PipelineFailure {
  let base: Base
  let decoding: Decoding<Value>
  let limit: Int

  func makeAsyncIterator() -> Iterator {
    let reader = LineReader(base.makeAsyncIterator(), .lineFeed, limit: limit)
    return Iterator(reader: reader, decoding: decoding)
  }
}

// MARK: - Iterator

extension NDJSONSequence {
  struct Iterator: AsyncIteratorProtocol {
    var reader: LineReader<Base.AsyncIterator>
    let decoding: Decoding<Value>
    var position = 0
    var isOver = false

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Value? {
      while !isOver {
        guard let line = try await reader.nextOrRest(isolation: actor) else { break }
        defer { position += 1 }
        guard line.contains(where: { $0 > 0x20 }) else { continue }
        do {
          return try await decoding.decode(line: line, at: position)
        } catch {
          isOver = true
          throw Base.Failure(error)
        }
      }
      isOver = true
      return nil
    }
  }
}

@available(*, unavailable)
extension NDJSONSequence.Iterator: Sendable {}

extension Decoding {
  @concurrent
  fileprivate func decode(line: Data, at position: Int) async throws(FreshetError) -> Value {
    let path = PayloadPath(steps: [String(position)])
    return try decode(DecodingSource(head: nil, data: line, path: path), of: line).value
  }
}

// MARK: - Description

extension NDJSONSequence: PipelineStage {
  var stageDescription: String {
    ".ndjson"
      + PipelineText.parameters("\(Value.self)", PipelineText.unless(1 << 20, limit, "limit"))
  }
}
