extension Transfer.Iterator {
  /// Reads a short response that nobody will see to its end, so that its connection can be used
  /// again; a long one is left to be dropped.
  mutating func drain(
    after head: ResponseHead,
    isolation actor: isolated (any Actor)?
  ) async throws(FreshetError) {
    guard let length = head.decodedLength, length <= 64 << 10 else { return }
    do {
      while try await next(isolation: actor) != nil {}
    } catch .cancelled {
      throw .cancelled
    } catch {
      // A response that fails here has said what was needed from it.
    }
  }
}
