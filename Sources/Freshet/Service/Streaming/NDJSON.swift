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
    let limited = PipelineText.unless(1 << 20, limit, "limit")
    let stage = ".ndjson" + PipelineText.parameters("\(Value.self)", limited)
    return ConvertSequence(
      LinesSequence(base: self, limit: limit),
      stage,
      failure: { $0 },
      convert: { element throws(Failure) in
        guard element.line.contains(where: { $0 > 0x20 }) else { return nil }
        do throws(FreshetError) {
          return try await decoding.decode(line: element.line, at: element.position)
        } catch {
          throw Failure(error)
        }
      }
    )
  }
}

extension Decoding {
  @concurrent
  fileprivate func decode(line: Data, at position: Int) async throws(FreshetError) -> Value {
    let path = PayloadPath(steps: [String(position)])
    return try decode(DecodingSource(head: nil, data: line, path: path), of: line).value
  }
}
