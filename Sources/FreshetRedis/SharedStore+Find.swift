#if Redis && !canImport(Darwin)
public import Freshet
public import FreshetEssentials
import Synchronization

extension SharedStore {
  /// Returns the newest stored response for the key whose varying fields match the request's headers.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - headers: The request's headers, which select among variants.
  /// - Returns: The response, fresh or not, its body in memory; `nil` if there is none, it is damaged, its
  ///   body is longer than ``Configuration/bodyLimit``, or the server does not answer in time.
  public func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    try? await look(key, headers)
  }

  /// Returns the newest stored response, like ``find(_:for:)``, or the reason why there is no answer.
  public func lookUp(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    likely url: URL
  ) async -> LookupResult {
    do throws(RedisFailure) {
      return try await look(key, headers).map(LookupResult.copy) ?? .missing
    } catch {
      return .failed(error.failure)
    }
  }

  /// Returns the response that answers a request, if it was stored under a lease, or a later one.
  func find(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    storedUnder number: Int64
  ) async -> StoredResponse? {
    try? await look(key, headers, storedUnder: number)
  }

  private func look(
    _ key: CacheKey,
    _ headers: HTTPHeaders,
    storedUnder number: Int64? = nil
  ) async throws(RedisFailure) -> StoredResponse? {
    try await writePending()
    let instant = EventInstant.now
    let listing = try await read(key)
    guard let (best, beside) = SharedEntry(listing.variants.map(\.variant)).choice(for: headers)
    else { return nil }
    if let number {
      let lease = listing.variants.first { $0.variant.id == best.id }?.lease
      guard let lease, lease >= number else { return nil }
    }
    guard let body = try await body(of: best.id, listing, key) else { return nil }
    let response = best.response(body, for: headers, since: instant)
    guard let beside, let copy = try await self.body(of: beside.id, listing, key) else {
      return response
    }
    return response.beside(beside.response(copy, for: headers, since: instant))
  }

  /// The variants of a key that are of use, as the server has listed them.
  struct Listing: Sendable {
    var generation: String
    var version: String
    var variants: [Listed]
    /// The variants whose record is damaged.
    var damaged: [(id: String, place: BodyPlace?)] = []
    /// The first chunk of the body, if there is one variant.
    var chunk: Data?
    /// The time by the server's clock.
    var time = Date.distantFuture
  }

  struct Listed: Sendable {
    let variant: SharedVariant
    let place: BodyPlace
    /// The number of the newest lease under which it was written, if there was one.
    let lease: Int64?
  }

  /// The place of a body: its name, and the number of its chunks.
  struct BodyPlace: Sendable, Hashable {
    /// The largest part of a body in one value, in bytes.
    static let chunkSize = 256 << 10

    let name: String
    let chunkCount: Int

    init(name: String, chunkCount: Int) {
      self.name = name
      self.chunkCount = chunkCount
    }

    /// Reads the description of a variant that the scripts return.
    init?(_ info: String) {
      let words = info.split(separator: " ")
      guard words.count >= 5, let count = Int(words[3]), count > 0, count < 1 << 20 else {
        return nil
      }
      name = String(words[2])
      chunkCount = count
    }

    /// Returns the number of chunks of a body.
    ///
    /// - Parameter length: Its length in bytes.
    /// - Returns: The number, 1 for an empty body.
    static func chunkCount(of length: Int64) -> Int {
      Int(max(length, 1) - 1) / chunkSize + 1
    }
  }

  /// Lists the variants of a key, and removes damaged ones.
  func read(_ key: CacheKey) async throws(RedisFailure) -> Listing {
    let listing = try await list(key, bodies: names.bodies)
    for damaged in listing.damaged {
      try await drop(damaged.id, of: names.entry(key), damaged.place)
    }
    return listing
  }

  /// Lists the variants of a key.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - bodies: The beginning of the names of bodies; by default, no chunk is read.
  ///   - isPatient: A Boolean value that indicates whether it waits during an outage, too.
  /// - Returns: The variants.
  /// - Throws: ``RedisFailure`` if there is no reply in time.
  func list(
    _ key: CacheKey,
    bodies: String = "",
    isPatient: Bool = false
  ) async throws(RedisFailure) -> Listing {
    let arguments =
      [bodies, SharedMarks.own(key), SharedMarks.prefixes(key.partition)]
      + SharedMarks.stored(key)
    let reply = try await pool.run(
      .read,
      [names.control, names.entry(key)],
      arguments.map(RedisArgument.text),
      isPatient: isPatient
    )
    guard let found = reply.elements else { throw RedisFailure.unreadable }
    guard found.count == 6, let generation = found[0].text, let number = found[1].number,
      let listed = found[3].elements, let time = found[5].number
    else {
      // The control record is not there, or damaged: everything is a miss.
      let new = try await beginGeneration()
      return Listing(generation: new.name, version: "", variants: [])
    }
    hearing.note(number, of: generation)
    if pool.inbox.withLock({ $0.generation?.name }) != generation { try await beginGeneration() }
    var listing = Listing(
      generation: generation,
      version: found[2].text ?? "",
      variants: [],
      chunk: found[4].data,
      time: Date(timeIntervalSince1970: Double(time) / 1_000_000)
    )
    for index in stride(from: 0, to: listed.count - 2, by: 3) {
      guard let id = listed[index].text, let info = listed[index + 1].text else { continue }
      guard let place = BodyPlace(info),
        let variant = listed[index + 2].data.flatMap({ SharedVariant($0) }), variant.id == id,
        variant.key == key, place.chunkCount <= BodyPlace.chunkCount(of: variant.length)
      else {
        listing.damaged.append((id, BodyPlace(info)))
        continue
      }
      let lease = info.split(separator: " ").first { $0.hasPrefix("l:") }
      listing.variants.append(
        Listed(variant: variant, place: place, lease: lease.flatMap { Int64($0.dropFirst(2)) })
      )
    }
    return listing
  }

  /// Reads the body of a variant, and removes the variant if that is damaged.
  ///
  /// Returns `nil` for a body above the limit, too. It stays: processes with a larger limit may share it.
  private func body(
    of id: String,
    _ listing: Listing,
    _ key: CacheKey
  ) async throws(RedisFailure) -> Data? {
    guard let listed = listing.variants.first(where: { $0.variant.id == id }),
      listed.variant.length <= Int64(configuration.bodyLimit)
    else { return nil }
    let body = try await body(
      at: listed.place,
      length: listed.variant.length,
      digest: listed.variant.digest,
      first: listing.variants.count == 1 ? listing.chunk : nil
    )
    if case .whole(let data) = body { return data }
    try await drop(id, of: names.entry(key), listed.place)
    return nil
  }

  enum ReadBody: Sendable {
    case whole(Data)
    /// The kind of damage, as the end of a sentence.
    case damaged(String)
  }

  /// Reads a body, and compares it with its digest.
  ///
  /// - Parameters:
  ///   - place: Its place.
  ///   - length: Its length in bytes.
  ///   - digest: Its digest.
  ///   - first: The first chunk, if that has been read.
  ///   - isPatient: A Boolean value that indicates whether it waits during an outage, too.
  /// - Returns: The body.
  /// - Throws: ``RedisFailure`` if there is no reply in time.
  func body(
    at place: BodyPlace,
    length: Int64,
    digest: SHA256Checksum,
    first: Data? = nil,
    isPatient: Bool = false
  ) async throws(RedisFailure) -> ReadBody {
    var body = Data()
    for chunk in 0..<place.chunkCount {
      var bytes = chunk == 0 ? first : nil
      if bytes == nil {
        let get: [RedisArgument] = [.text("GET"), .text("\(names.bodies)\(place.name):\(chunk)")]
        do throws(RedisFailure) {
          bytes = try await pool.send(.words(get), isPatient: isPatient).data
        } catch {
          guard error.isWrongType else { throw error }
          return .damaged("its body is of another type")
        }
      }
      // Evicted, or replaced a moment ago.
      guard let bytes else { return .damaged("its body is missing") }
      guard Int64(body.count + bytes.count) <= length else { break }
      body += bytes
    }
    guard Int64(body.count) == length, (try? ResourceBody(body).sha256()) == digest else {
      return .damaged("its body does not match its digest")
    }
    return .whole(body)
  }

  /// Removes a variant, unless it has been replaced; or its entry, if that is of another type.
  ///
  /// - Parameters:
  ///   - id: The variant.
  ///   - entry: The name of its entry in the server.
  ///   - place: The place of its body; by default, any.
  ///   - record: Its record; by default, any.
  ///   - isPatient: A Boolean value that indicates whether it waits during an outage, too.
  /// - Returns: A Boolean value that indicates whether it was removed.
  /// - Throws: ``RedisFailure`` if there is no reply in time.
  @discardableResult
  func drop(
    _ id: String,
    of entry: String,
    _ place: BodyPlace? = nil,
    record: Data = Data(),
    isPatient: Bool = false
  ) async throws(RedisFailure) -> Bool {
    let arguments: [RedisArgument] = [
      .text(names.bodies), .text(id), .text(place?.name ?? ""), .data(record),
    ]
    return try await pool.run(.drop, [entry], arguments, isPatient: isPatient).number == 1
  }

  /// Removes a response, unless it has been replaced or validated since it was listed.
  ///
  /// - Parameter entry: The response.
  /// - Returns: A Boolean value that indicates whether it was removed.
  /// - Throws: ``RedisFailure`` if there is no reply in time.
  func drop(_ entry: Entry) async throws(RedisFailure) -> Bool {
    let name = names.entry(entry.key)
    return try await drop(entry.id, of: name, entry.place, record: entry.record, isPatient: true)
  }
}
#endif
