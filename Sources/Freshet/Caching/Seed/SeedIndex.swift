import FreshetEssentials

/// The seeds of a folder by key.
struct SeedIndex: Sendable {
  private(set) var all: [SeedManifest.Entry] = []
  private var byKey: [CacheKey: [Int]] = [:]
  private var legacy: DockerSeeds?

  /// No seeds.
  init() {}

  /// Reads a folder's manifest.
  ///
  /// - Throws: ``FreshetError/store(_:)`` if it cannot be used. A folder that does not exist has no
  ///   seeds.
  init(_ directory: URL) throws(FreshetError) {
    guard let data = try Self.manifest(of: directory) else {
      self.init()
      legacy = try DockerSeeds(directory)
      return
    }
    do throws(FreshetError) {
      self.init(try SeedManifest(data))
    } catch {
      throw .store("\(directory.path): \(error.storeReason)")
    }
  }

  /// Returns the manifest's bytes; `nil` if there is none.
  static func manifest(of directory: URL) throws(FreshetError) -> Data? {
    try contents(of: directory.appendingPathComponent(SeedManifest.fileName).path)
  }

  /// Returns the bytes of a list of seeds; `nil` if there is none.
  static func contents(of path: String) throws(FreshetError) -> Data? {
    do throws(FileFailure) {
      // Opening a pipe of that name would block for ever.
      let file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
      let size = Int(try file.status().st_size)
      guard size <= SeedManifest.sizeLimit else { throw FileFailure("read", EFBIG, path) }
      return try file.read(at: 0, count: size)
    } catch {
      if error.isMissing { return nil }
      throw .store("\(path): \(error.reason)")
    }
  }

  private init(_ manifest: SeedManifest) {
    all = manifest.seeds
    for (index, entry) in all.enumerated() {
      guard let key = entry.cacheKey else { continue }
      byKey[key, default: []].append(index)
    }
  }

  func entries(_ key: CacheKey) -> [SeedManifest.Entry] {
    if let legacy { return legacy.entry(key).map { [$0] } ?? [] }
    return byKey[key, default: []].map { all[$0] }
  }

  /// Returns a Boolean value that indicates whether there is a seed of a key or of one that extends it.
  func hasEntries(coveredBy key: CacheKey) -> Bool {
    // The names in a folder of Docker's reveal no keys, and none of its seeds has an extended one.
    if let legacy { return legacy.entry(key) != nil }
    return byKey.keys.contains { key.covers($0) }
  }
}
