import FreshetEssentials

/// A reader of lines from a sequence of chunks, shared by the operators on body streams.
struct LineReader<Base: AsyncIteratorProtocol>
where Base.Element == Data, Base.Failure: PipelineFailure {
  private var base: Base
  private var splitter: LineSplitter
  private var isOver = false

  init(_ base: Base, _ ending: LineSplitter.Ending, limit: Int) {
    self.base = base
    splitter = LineSplitter(ending, limit: limit)
  }

  /// Returns the next line that has an end.
  mutating func next() async throws(Base.Failure) -> Data? {
    guard !isOver else { return nil }
    do {
      while true {
        if let line = try split() { return line }
        guard let chunk = try await base.next(isolation: #isolation) else { return nil }
        splitter.take(chunk)
      }
    } catch {
      isOver = true
      throw error
    }
  }

  /// Returns the next line; the last one need not have an end.
  mutating func nextOrRest() async throws(Base.Failure) -> Data? {
    if let line = try await next() { return line }
    guard !isOver else { return nil }
    isOver = true
    do {
      return try splitter.rest()
    } catch {
      throw Base.Failure(error)
    }
  }

  private mutating func split() throws(Base.Failure) -> Data? {
    do {
      return try splitter.next()
    } catch {
      throw Base.Failure(error)
    }
  }

  /// Ends the reading because of a failure.
  mutating func fail(_ error: FreshetError) -> Base.Failure {
    isOver = true
    return Base.Failure(error)
  }
}
