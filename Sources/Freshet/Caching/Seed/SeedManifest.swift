import FreshetEssentials

/// The contents of `seeds.json`: the responses of a folder of seeds, for people to read and to
/// review.
struct SeedManifest: Codable, Sendable {
  static let fileName = "seeds.json"
  static let format = "freshet-seeds"
  /// The largest manifest that is read, in bytes.
  static let sizeLimit = 64 << 20

  var format = SeedManifest.format
  var version = 1
  var seeds: [Entry] = []

  struct Entry: Codable, Sendable, Hashable {
    var url: String
    /// The key under which it is stored, if that is not the key of a `GET` of the URL.
    var key: String?
    var status: Int
    /// Fields by name; the lines of one field are joined by commas.
    var headers: [String: String]
    /// The fields of the request that selected it, by name in lower case; `null` for an absent one.
    var varying: [String: String?]?
    /// The body's file, in the same folder.
    var file: String
    var length: Int64
    var sha256: String
    /// The time when it was received, in whole seconds.
    var received: Date
    var tags: [String]?
  }
}

extension SeedManifest {
  /// Reads a manifest.
  ///
  /// - Throws: ``FreshetError/store(_:)`` if it is malformed, or of an unknown version.
  init(_ data: Data) throws(FreshetError) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    do {
      self = try decoder.decode(SeedManifest.self, from: data)
    } catch {
      throw .store("its \(SeedManifest.fileName) is not a manifest of seeds")
    }
    guard format == SeedManifest.format else {
      throw .store("its \(SeedManifest.fileName) has the format “\(format.prefix(32))”")
    }
    guard version == 1 else { throw .store("a newer version of Freshet wrote it (\(version))") }
  }

  /// Returns the bytes of the manifest, sorted, so that a change of one seed changes only its
  /// lines.
  func data() throws(FreshetError) -> Data {
    var sorted = self
    sorted.seeds.sort { ($0.url, $0.file) < ($1.url, $1.file) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    do {
      return try encoder.encode(sorted) + Data("\n".utf8)
    } catch {
      throw .store("the manifest of seeds could not be written: \(error)")
    }
  }
}

extension SeedManifest {
  /// Returns the URL of a body; `nil` for a name that leads outside the folder.
  static func place(of file: String, in directory: URL) -> URL? {
    let bytes = file.utf8
    guard !bytes.isEmpty, bytes.count <= 255, bytes.first != UInt8(ascii: "."),
      !bytes.contains(where: { $0 == UInt8(ascii: "/") || ASCII.isControl($0) })
    else { return nil }
    return directory.appendingPathComponent(file)
  }
}

extension SeedManifest.Entry {
  /// The response's head; `nil` if it is not valid.
  var head: ResponseHead? {
    guard let url = URL(unicode: url), URLOrigin(url) != nil, (200...299).contains(status),
      status != 206
    else { return nil }
    var fields = HTTPHeaders()
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      guard ASCII.isToken(name), value.utf8.allSatisfy({ !ASCII.isControl($0) || $0 == 0x09 })
      else { return nil }
      fields.add(value, for: HTTPHeaders.Name(name))
    }
    return ResponseHead(status: HTTPStatus(status), headers: fields, url: url)
  }

  var varyingFields: VaryingFields {
    VaryingFields(
      fields: (varying ?? [:]).sorted { $0.key < $1.key }
        .map { VaryingFields.Field(name: $0.key, value: $0.value) }
    )
  }

  /// The key under which it answers, in the partition `""`.
  var cacheKey: CacheKey? {
    if let key { return CacheKey(text: key).moved(to: "") }
    return URL(unicode: url).map { CacheKey($0) }
  }
}
