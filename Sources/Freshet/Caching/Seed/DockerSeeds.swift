import FreshetEssentials

/// A folder of seeds in the format of Docker, an ancestor of this framework: files named after
/// their URLs, and `ResourceInfos.plist` with the `Last-Modified` of each.
struct DockerSeeds: Sendable {
  static let fileName = "ResourceInfos.plist"

  let directory: URL
  private let dates: [String: Date]

  /// Reads a folder's list; `nil` if it has none.
  ///
  /// - Throws: ``FreshetError/store(_:)`` if the list cannot be read, or is malformed.
  init?(_ directory: URL) throws(FreshetError) {
    let path = directory.appendingPathComponent(Self.fileName).path
    guard let data = try SeedIndex.contents(of: path) else { return nil }
    guard let dates = Self.dates(data) else {
      throw .store("\(path) is not a list of names and dates")
    }
    self.dates = dates
    self.directory = directory
  }

  /// Returns the names and dates of a list; `nil` if it is malformed.
  static func dates(_ data: Data) -> [String: Date]? {
    try? PropertyList.decode([String: Date].self, from: data)
  }

  /// Returns the name that Docker gave the file of a URL: the MD5 of everything before its last
  /// component, and that component with its query, percent-encoded.
  ///
  /// Docker treated the URL as a path, in which several slashes are one.
  static func name(of url: String) -> String {
    var path = ""
    for character in url where !(character == "/" && path.last == "/") { path.append(character) }
    if path.count > 1, path.last == "/" { path.removeLast() }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { String(path[..<$0]) } ?? ""
    let last = slash.map { String(path[path.index(after: $0)...]) } ?? path
    let digest = ChecksumHasher.digest(.md5, of: Data(folder.utf8))
    return "\(Hexadecimal.text(digest))_\(escaped(last))"
  }

  /// Escapes a text like `stringByAddingPercentEscapesUsingEncoding:`.
  private static func escaped(_ text: String) -> String {
    PercentEncoding.encode(text) { byte in
      ASCII.isLetter(byte) || ASCII.isDigit(byte) || "!$&'()*+,-./:;=?@_~".utf8.contains(byte)
    }
  }

  /// Returns the folder's seed for a URL.
  func entry(_ key: CacheKey) -> SeedManifest.Entry? {
    let url = key.text
    guard !url.utf8.contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }) else {
      return nil
    }
    let name = Self.name(of: url)
    guard let modified = dates[name] else { return nil }
    var status = stat()
    guard lstat(directory.appendingPathComponent(name).path, &status) == 0 else { return nil }
    return SeedManifest.Entry(
      url: url,
      status: 200,
      headers: ["Last-Modified": HTTPDate.format(modified)],
      file: name,
      length: Int64(status.st_size),
      sha256: "",
      // The time when it was received is unknown: it is validated before it counts as fresh.
      received: modified
    )
  }
}
