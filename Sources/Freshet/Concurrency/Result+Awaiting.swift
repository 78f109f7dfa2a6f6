extension Result {
  /// Returns the outcome of asynchronous work.
  package static func awaiting(
    _ work: () async throws(Failure) -> Success
  ) async -> Result {
    do throws(Failure) {
      return .success(try await work())
    } catch {
      return .failure(error)
    }
  }
}
