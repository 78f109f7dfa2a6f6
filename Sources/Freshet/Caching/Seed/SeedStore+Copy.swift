extension SeedStore {
  /// Copies the seeds into a store, which can then be used without this one.
  ///
  /// - A seed is not copied if the store has a copy that is at least as new, if it is damaged, if
  ///   its resource has changed since, or if it is too large for a memory store.
  /// - Seeds of a folder of Docker's, whose names do not reveal their URLs, are not copied: build a
  ///   current folder with `freshet seed --from-docker`.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - partition: Their partition there; `""` by default.
  /// - Returns: The number of copied seeds.
  /// - Throws: ``FreshetError/store(_:)`` if the store could not keep one; those before it are kept.
  @discardableResult
  public func copy(
    into store: some ResourceStore,
    partition: String = ""
  ) async throws(FreshetError) -> Int {
    var count = 0
    for response in responses() {
      let response = response.moved(to: partition)
      // The varying fields, as headers, find the stored response that this seed would replace.
      let stored = await store.find(response.key, for: response.varying.sample)
      if let stored, !response.isNewer(than: stored) { continue }
      do throws(FreshetError) {
        _ = try await store.keep(response)
        count += 1
      } catch {
        guard let failure = error.storeFailure, failure.isLate || failure.reason == .tooLarge else {
          throw error
        }
      }
    }
    return count
  }
}

extension VaryingFields {
  /// The headers of a request that the response answers.
  var sample: HTTPHeaders {
    HTTPHeaders(
      fields.compactMap { field in
        field.value.map { HTTPHeaders.Field(name: HTTPHeaders.Name(field.name), value: $0) }
      }
    )
  }
}
