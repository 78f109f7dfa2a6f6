public import Foundation

/// Makes a folder of seeds, see ``SeedStore``.
///
/// ```swift
/// var builder = try SeedBuilder(directory: seeds)
/// try builder.add(logo.response)
/// try builder.write()
/// ```
///
/// A folder that has seeds already keeps them; one for the same URL and the same varying fields is
/// replaced. It is used by one process at a time.
public struct SeedBuilder: Sendable {
  /// Where the manifest and the bodies go.
  public let directory: URL
  private var manifest: SeedManifest

  /// Begins with the seeds that a folder has.
  ///
  /// - Parameter directory: The folder; made if it is not there.
  /// - Throws: ``FreshetError/store(_:)`` if its manifest cannot be read,
  ///   ``FreshetError/file(_:path:)`` if the folder cannot be made.
  public init(directory: URL) throws(FreshetError) {
    self.directory = directory
    let url = directory.appendingPathComponent(SeedManifest.fileName)
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      throw .file("it could not be made: \(error.localizedDescription)", path: directory.path)
    }
    guard FileManager.default.fileExists(atPath: url.path) else {
      manifest = SeedManifest()
      return
    }
    guard let data = try? Data(contentsOf: url) else {
      throw .file("it could not be read", path: url.path)
    }
    manifest = try SeedManifest(data)
  }

  /// Adds a response: writes its body, and keeps its head for the manifest.
  ///
  /// Cookies that it sets and fields of the connection are left out.
  ///
  /// - Parameter response: The response, from a fetch or from a store. Its partition does not count.
  /// - Returns: The seed.
  /// - Throws: ``FreshetError/store(_:)`` for a response that must not be shown to everybody (`no-store`,
  ///   `private`, the answer to credentials or cookies) or answers nobody (`Vary: *`, a part, an error);
  ///   ``FreshetError/file(_:path:)`` if the body cannot be written.
  @discardableResult
  public mutating func add(_ response: StoredResponse) throws(FreshetError) -> Seed {
    if let reason = Self.refusal(of: response) {
      throw .store("\(response.key.shown) is no seed: \(reason)")
    }
    let digest = try response.sha256()
    let key = response.key.moved(to: "")
    let file = Self.fileName(key, response)
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
    manifest.seeds.removeAll { $0.file == file }
    manifest.seeds.append(entry)
    return Seed(url: response.head.url, file: file, length: entry.length, digest: digest)
  }

  /// Writes the manifest; until then the folder has the seeds that it had.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be written.
  public func write() throws(FreshetError) {
    let body = ResourceBody(try manifest.data())
    try body.write(to: directory.appendingPathComponent(SeedManifest.fileName))
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
    return secret.map { "it answers one user's \($0.name)" }
  }

  private static func headers(of response: StoredResponse) -> [String: String] {
    let stored = StoragePolicy.stored(response.head).headers
    var headers: [String: String] = [:]
    for field in stored where field.name != .setCookie {
      guard !headers.keys.contains(where: { HTTPHeaders.Name($0) == field.name }) else { continue }
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

  /// A name that tells what it is, stays the same for the same response, and is one on every file
  /// system: `logo-0a1b2c3d4e5f6071.png`.
  private static func fileName(_ key: CacheKey, _ response: StoredResponse) -> String {
    var fingerprint = Data(key.text.utf8)
    fingerprint.append(DiskRecord.encode(response.varying))
    let digest = SHA256Hasher.digest(of: fingerprint).hex.prefix(16)
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
