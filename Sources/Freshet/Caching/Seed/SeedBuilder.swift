public import FreshetEssentials

/// Makes a folder of seeds, see ``SeedStore``.
///
/// ```swift
/// var builder = try SeedBuilder(directory: seeds)
/// try builder.add(logo.response)
/// try builder.write()
/// ```
///
/// A folder that already has seeds keeps them; one for the same URL and the same varying fields is
/// replaced. Only one process at a time may use a folder.
public struct SeedBuilder: Sendable {
  /// The folder of the manifest and the bodies.
  public let directory: URL
  private var manifest: SeedManifest
  /// The body of each seed, by the requests that it answers.
  private var files: [Data: String] = [:]
  /// The bodies of seeds that were replaced.
  private var replaced: Set<String> = []

  /// Makes a builder that begins with the seeds of a folder.
  ///
  /// - Parameter directory: The folder; made if it does not exist.
  /// - Throws: ``FreshetError/store(_:)`` if its manifest cannot be read,
  ///   ``FreshetError/file(_:path:)`` if the folder cannot be made.
  public init(directory: URL) throws(FreshetError) {
    self.directory = directory
    try FileFailure.reporting(at: directory.path) { () throws(FileFailure) in
      try Directory.make(directory.path)
    }
    manifest = try SeedIndex.manifest(of: directory).map(SeedManifest.init) ?? SeedManifest()
    for seed in manifest.seeds {
      guard let identity = Self.identity(of: seed) else { continue }
      files[identity] = seed.file
    }
  }

  /// Adds a response: writes its body, and records its head for the manifest.
  ///
  /// Cookies that it sets and fields of the connection are left out.
  ///
  /// A response does not show with which cookies it was requested unless its `Vary` names them:
  /// pass credentials and cookies that were sent in `headers`. A response out of a store, for which
  /// some were sent, may contain data of one user; only the caller can decide that.
  ///
  /// - Parameters:
  ///   - response: The response, from a fetch or from a store. Its partition is ignored.
  ///   - headers: The header fields of its request, as far as they are known; none by default.
  /// - Returns: The seed.
  /// - Throws: ``FreshetError/store(_:)`` for a response that must not be shown to everybody
  ///   (`no-store`, `private`, or a response to credentials or cookies that is not `public`) or
  ///   that answers no later request (`Vary: *`, a range, an error); ``FreshetError/file(_:path:)``
  ///   if the body cannot be written.
  @discardableResult
  public mutating func add(
    _ response: StoredResponse,
    askedWith headers: HTTPHeaders = [:]
  ) throws(FreshetError) -> Seed {
    if let reason = Self.refusal(of: response) ?? Self.refusal(of: response, askedWith: headers) {
      throw .store("\(response.key.shown) cannot be a seed: \(reason)")
    }
    let digest = try response.sha256()
    let key = response.key.moved(to: "")
    let identity = Self.identity(key, response.varying)
    let file = Self.fileName(identity, response, digest)
    try response.body.write(to: directory.appendingPathComponent(file))
    let entry = SeedManifest.Entry(
      url: response.head.url.absoluteString,
      key: CacheKey(response.head.url) == key ? nil : key.text,
      status: response.head.status.rawValue,
      headers: Self.headers(of: response),
      varying: Self.varying(of: response),
      file: file,
      length: response.body.length,
      sha256: digest.hex,
      received: Date(
        timeIntervalSince1970: response.responseTime.timeIntervalSince1970.rounded(.down)
      ),
      tags: response.tags.isEmpty ? nil : response.tags.sorted()
    )
    if let old = files.updateValue(file, forKey: identity) {
      replaced.insert(old)
      // Other seeds may have the same body.
      manifest.seeds.removeAll { $0.file == old && Self.identity(of: $0) == identity }
    }
    manifest.seeds.append(entry)
    return Seed(url: response.head.url, file: file, length: entry.length, digest: digest)
  }

  /// Writes the manifest; until then the folder has its previous seeds.
  ///
  /// The bodies of seeds that were replaced are removed afterwards.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written.
  public func write() throws(FreshetError) {
    let body = ResourceBody(try manifest.data())
    try body.write(to: directory.appendingPathComponent(SeedManifest.fileName))
    let needed = Set(manifest.seeds.map(\.file) + [SeedManifest.fileName])
    for file in replaced.subtracting(needed) {
      if let place = SeedManifest.place(of: file, in: directory) { unlink(place.path) }
    }
  }
}

extension SeedBuilder {
  private static func refusal(of response: StoredResponse) -> String? {
    let head = response.head
    let control = response.record.control
    if !head.status.isSuccess || head.status == .partialContent { return "its status" }
    if control.flags.contains(.noStore) { return "no-store" }
    if control.flags.contains(.isPrivate) { return "private" }
    if response.record.isUnmatchable { return "Vary: *" }
    let secret = response.varying.fields
      .first { $0.value != nil && Redaction.isSecret(HTTPHeaders.Name($0.name)) }
    return secret.map { "it is for one user, by its \($0.name)" }
  }

  /// Returns the reason why the response to credentials or cookies may belong to one user; `nil` if
  /// there is none.
  private static func refusal(
    of response: StoredResponse,
    askedWith headers: HTTPHeaders
  ) -> String? {
    guard !response.record.control.flags.contains(.isPublic) else { return nil }
    return headers.first { Redaction.isSecret($0.name) }
      .map { "it was requested with \($0.name.rawValue), and is not public" }
  }

  private static func headers(of response: StoredResponse) -> [String: String] {
    let stored = HTTPHeaders(StoragePolicy.stored(response.head).writtenFields)
    var headers: [String: String] = [:]
    for field in stored
    where !headers.keys.contains(where: { HTTPHeaders.Name($0) == field.name }) {
      headers[field.name.rawValue] = stored.combined(field.name)
    }
    return headers
  }

  private static func varying(of response: StoredResponse) -> [String: String?]? {
    guard !response.varying.fields.isEmpty else { return nil }
    return Dictionary(
      response.varying.fields.map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Returns the requests that a seed answers, as bytes; a seed that answers the same requests
  /// replaces it.
  private static func identity(_ key: CacheKey, _ varying: VaryingFields) -> Data {
    Data(key.text.utf8) + DiskRecord.encode(varying)
  }

  /// Returns the requests that a seed of the manifest answers; `nil` if its URL is not valid.
  private static func identity(of seed: SeedManifest.Entry) -> Data? {
    seed.cacheKey.map { identity($0, seed.varyingFields) }
  }

  /// Returns a readable name that is stable for the same response with the same body, and valid on
  /// every file system: `logo-0a1b2c3d4e5f6071.png`.
  private static func fileName(
    _ identity: Data,
    _ response: StoredResponse,
    _ body: SHA256Checksum
  ) -> String {
    let digest = SHA256Hasher.digest(of: identity + body.bytes).hex.prefix(16)
    let last = response.head.url.lastPathComponent
    let plain = last.unicodeScalars
      .map { $0.isASCII && (ASCII.isToken(UInt8($0.value)) && $0 != "%" && $0 != "*") ? $0 : "-" }
    var stem = String(String.UnicodeScalarView(plain)).drop { $0 == "." || $0 == "-" }
    var suffix: Substring = ""
    if let dot = stem.lastIndex(of: "."), stem[dot...].count <= 8 {
      suffix = stem[dot...]
      stem = stem[..<dot]
    }
    let prefix = stem.isEmpty ? "seed" : stem.prefix(48)
    return "\(prefix)-\(digest)\(suffix)"
  }
}
