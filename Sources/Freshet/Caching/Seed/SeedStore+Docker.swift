public import FreshetEssentials

extension SeedStore {
  /// Returns the seed for a URL from a folder of Docker's, for ``SeedBuilder`` to convert.
  ///
  /// - Parameters:
  ///   - url: The URL; it cannot be derived from the names in the folder.
  ///   - directory: The folder, with its `ResourceInfos.plist`.
  /// - Returns: The response, whose only field is `Last-Modified`; `nil` if there is none.
  /// - Throws: ``FreshetError/store(_:)`` if the folder has no such list, or one that cannot be
  ///   read.
  public static func dockerSeed(
    for url: URL,
    in directory: URL
  ) throws(FreshetError) -> StoredResponse? {
    guard let seeds = try DockerSeeds(directory) else {
      throw .store("\(directory.path) has no \(DockerSeeds.fileName)")
    }
    let store = SeedStore(directory: directory)
    let key = CacheKey(url)
    return seeds.entry(key).flatMap { store.response($0, key) }
  }
}
