#if Redis && !canImport(Darwin)
public import Foundation
public import Freshet
import Synchronization

extension SharedStore {
  /// Returns the newest stored response for the key whose varying fields match the request's headers.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - headers: The request's headers, which select among variants.
  /// - Returns: The response, fresh or not, its body in memory; `nil` if there is none, it is damaged, or
  ///   the server does not answer in time.
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

  private func look(
    _ key: CacheKey,
    _ headers: HTTPHeaders
  ) async throws(RedisFailure) -> StoredResponse? {
    try await writePending()
    let instant = SharedInstant.now
    let listing = try await read(key)
    guard let (best, beside) = SharedEntry(listing.variants.map(\.variant)).choice(for: headers)
    else { return nil }
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
    /// The first chunk of the body, if there is one variant.
    var chunk: Data?
  }

  struct Listed: Sendable {
    let variant: SharedVariant
    let place: BodyPlace
  }

  /// The place of a body: its name, and the number of its chunks.
  struct BodyPlace: Sendable, Hashable {
    let name: String
    let chunkCount: Int

    init(name: String, chunkCount: Int) {
      self.name = name
      self.chunkCount = chunkCount
    }

    /// Reads the description of a variant, see ``SharedScript``.
    init?(_ info: String) {
      let words = info.split(separator: " ")
      guard words.count >= 5, let count = Int(words[3]), count > 0, count < 1 << 20 else {
        return nil
      }
      name = String(words[2])
      chunkCount = count
    }
  }

  /// Lists the variants of a key.
  func read(_ key: CacheKey) async throws(RedisFailure) -> Listing {
    let arguments =
      [names.bodies, SharedMarks.own(key), SharedMarks.prefixes(key.partition)]
      + SharedMarks.stored(key)
    let reply = try await pool.run(
      .read,
      [names.control, names.entry(key)],
      arguments.map(RedisArgument.text)
    )
    guard let found = reply.elements else {
      throw RedisFailure("the server's reply cannot be read")
    }
    guard found.count == 5, let generation = found[0].text, let number = found[1].number,
      let listed = found[3].elements
    else {
      // The control record is not there: everything is a miss.
      let new = try await beginGeneration()
      return Listing(generation: new.name, version: "", variants: [])
    }
    hearing.note(number, of: generation)
    if pool.inbox.withLock({ $0.generation?.name }) != generation { try await beginGeneration() }
    var listing = Listing(
      generation: generation,
      version: found[2].text ?? "",
      variants: [],
      chunk: found[4].data
    )
    for index in stride(from: 0, to: listed.count - 2, by: 3) {
      guard let id = listed[index].text, let place = listed[index + 1].text.flatMap(BodyPlace.init)
      else { continue }
      guard let variant = listed[index + 2].data.flatMap({ SharedVariant($0) }), variant.id == id,
        variant.key == key
      else {
        try await drop(id, of: key, place)
        continue
      }
      listing.variants.append(Listed(variant: variant, place: place))
    }
    return listing
  }

  /// Reads the body of a variant, and compares it with its digest.
  private func body(
    of id: String,
    _ listing: Listing,
    _ key: CacheKey
  ) async throws(RedisFailure) -> Data? {
    guard let listed = listing.variants.first(where: { $0.variant.id == id }) else { return nil }
    var body = Data()
    for chunk in 0..<listed.place.chunkCount {
      var bytes = chunk == 0 && listing.variants.count == 1 ? listing.chunk : nil
      if bytes == nil {
        let name = "\(names.bodies)\(listed.place.name):\(chunk)"
        bytes = try await pool.send(.words([.text("GET"), .text(name)])).data
      }
      // Evicted, or replaced a moment ago.
      guard let bytes, Int64(body.count + bytes.count) <= listed.variant.length else {
        try await drop(id, of: key, listed.place)
        return nil
      }
      body += bytes
    }
    guard Int64(body.count) == listed.variant.length,
      (try? ResourceBody(body).sha256()) == listed.variant.digest
    else {
      try await drop(id, of: key, listed.place)
      return nil
    }
    return body
  }

  /// Removes a variant that is damaged, unless it has been replaced.
  private func drop(
    _ id: String,
    of key: CacheKey,
    _ place: BodyPlace
  ) async throws(RedisFailure) {
    _ = try await pool.run(
      .drop,
      [names.entry(key)],
      [.text(names.bodies), .text(id), .text(place.name)]
    )
  }
}
#endif
