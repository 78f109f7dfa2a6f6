import FreshetEssentials

/// The chunks of a body that a closure returns one after the other; `nil` ends it.
struct PulledChunks: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let pull: @Sendable () async throws -> Data?

  func makeAsyncIterator() -> Iterator {
    Iterator(pull: pull)
  }

  struct Iterator: AsyncIteratorProtocol {
    let pull: @Sendable () async throws -> Data?

    mutating func next() async throws -> Data? {
      try await pull()
    }
  }
}
