extension SeedStore {
  /// Copies the seeds into a store, so that they are there without this one.
  ///
  /// - A seed whose store has a copy that is as new stays out; so does one that is damaged, one
  ///   whose resource has changed since, and one that is too large for a memory store.
  /// - Seeds of a folder of Docker's, whose names do not tell their URLs, are not copied: build a folder
  ///   of today's with `freshet seed --from-docker`.
  ///
  /// - Parameters:
  ///   - store: Where they go.
  ///   - partition: Whose they are there; `""` by default.
  /// - Returns: How many were copied.
  /// - Throws: ``FreshetError/store(_:)`` if the store could not keep one; those before it are kept.
  @discardableResult
  public func copy(
    into store: some ResourceStore,
    partition: String = ""
  ) async throws(FreshetError) -> Int {
    var count = 0
    for response in responses() {
      let response = response.moved(to: partition)
      // Any request that gets this variant tells which stored one it would get instead.
      let stored = await store.find(response.key, for: response.varying.sample)
      if let stored, !response.isNewer(than: stored) { continue }
      do throws(FreshetError) {
        _ = try await store.keep(response)
        count += 1
      } catch {
        guard error == .tooLargeForStore || Late(error) != nil else { throw error }
      }
    }
    return count
  }
}

extension VaryingFields {
  /// The headers of a request that gets the response.
  var sample: HTTPHeaders {
    HTTPHeaders(
      fields.compactMap { field in
        field.value.map { HTTPHeaders.Field(name: HTTPHeaders.Name(field.name), value: $0) }
      }
    )
  }
}
