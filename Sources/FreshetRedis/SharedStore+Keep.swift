#if Redis && !canImport(Darwin)
public import Freshet
import FreshetEssentials

extension SharedStore {
  /// Stores a response in place of the one with the same key and the same varying fields.
  ///
  /// Cancelling the task does not undo it. A key has at most 32 variants, the newest ones.
  ///
  /// A response whose request began before this process had asked the server for anything is not stored:
  /// it may have been removed since.
  ///
  /// - Parameter response: The response to store. A body in a file is read into memory.
  /// - Returns: The same response, with its digest.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if it could not be stored in time, must not be shared, is
  ///   too large, is older than the stored one, or was requested before its key was invalidated or removed;
  ///   the earlier copy is unchanged, unless the server executes the write after the time-out.
  public func keep(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await write(response, withBody: true)
  }

  /// Replaces the head, the times and the tags of a stored response after a 304.
  ///
  /// - Parameter response: The response with its new head, and the body that the store returned.
  /// - Returns: The same response, with its digest.
  /// - Throws: ``/Freshet/FreshetError/store(_:)`` if the store no longer has the same body under the key,
  ///   and for the reasons of ``keep(_:)``; the earlier copy is unchanged.
  public func refresh(_ response: StoredResponse) async throws(FreshetError) -> StoredResponse {
    try await write(response, withBody: false)
  }

  private struct Writing {
    let response: StoredResponse
    let digest: SHA256Checksum
    /// The body; `nil` if the stored one stays.
    let body: Data?
  }

  private func write(
    _ response: StoredResponse,
    withBody: Bool
  ) async throws(FreshetError) -> StoredResponse {
    if let objection = response.sharingObjection { throw .store(objection) }
    if withBody, response.body.length > Int64(configuration.bodyLimit) {
      throw .store(StoreFailure(.tooLarge))
    }
    let writing: Writing
    do throws(FreshetError) {
      let body = withBody ? try response.body.data(limit: configuration.bodyLimit) : nil
      writing = Writing(response: response, digest: try response.sha256(), body: body)
    } catch {
      throw .store("the body could not be read: \(error)")
    }
    do throws(RedisFailure) {
      try await write(writing)
    } catch {
      throw error.error
    }
    return response.digested(writing.digest)
  }

  private func write(_ writing: Writing) async throws(RedisFailure) {
    try await writePending()
    // Most responses are new; a refresh needs what is stored, and a large body is sent once only.
    let isSmall = writing.body.map { $0.count <= BodyPlace.chunkSize } ?? false
    let key = writing.response.key
    var listing = isSmall ? nil : try await writing.body == nil ? read(key) : list(key)
    for _ in 0..<4 {
      let generation = try await generation()
      switch try await attempt(writing, listing, generation) {
      case .done: return
      case .late(let reason): throw RedisFailure(late: reason)
      case .again(let isLost):
        if isLost { try await beginGeneration() }
        listing = try await read(key)
      }
    }
    throw RedisFailure("its record in the server changed during each attempt to write it")
  }

  private enum Outcome {
    case done
    case late(StoreFailure.Reason)
    /// Something else is stored than was expected; also if the control record was lost.
    case again(isLost: Bool)
  }

  private func attempt(
    _ writing: Writing,
    _ listing: Listing?,
    _ generation: RedisPool.Generation
  ) async throws(RedisFailure) -> Outcome {
    let response = writing.response
    let asked = hearing.asked(response, in: generation.name)
    let known = hearing.known(response, in: generation.name)
    // Whatever was removed before the server was asked first, or lost its record, may concern it.
    if asked == .unknown { return .late(.removed) }
    let entry = SharedEntry(
      listing?.variants.map(\.variant) ?? [],
      at: listing?.time ?? .distantFuture
    )
    let (digest, salt) = (writing.digest, generation.salt)
    guard var new = SharedVariant(response, digest: digest, salt: salt) else {
      throw RedisFailure("the response cannot be encoded")
    }
    let old = listing?.variants.first { $0.variant.id == new.id }
    if writing.body == nil, let variant = old?.variant, !entry.isAhead(variant, of: new) {
      let time = variant.storedTime
      new = SharedVariant(response, digest: digest, salt: salt, notBefore: time) ?? new
    }
    let obsolete: [String]
    switch writing.body == nil ? entry.refreshing(new) : entry.inserting(new) {
    case .late(let reason): return .late(reason)
    case .written(let removing): obsolete = removing
    }
    let milliseconds = milliseconds(of: response)
    let place: BodyPlace
    var inline = Data()
    if let body = writing.body {
      place = BodyPlace(
        name: Hexadecimal.unpredictableName(),
        chunkCount: BodyPlace.chunkCount(of: Int64(body.count))
      )
      if place.chunkCount == 1 { inline = body } else { try await writeChunks(body, place) }
    } else if let old {
      place = old.place
    } else {
      return .late(.bodyRemoved)
    }
    let late = asked == .none ? [] : SharedMarks.late(response)
    let changes = SharedMarks.changes(response.key)
    let tags = SharedMarks.tags(response.tags)
    var arguments: [RedisArgument] = [
      .text(names.bodies), .text(generation.name), .text(listing?.version ?? ""),
      .text(asked.text), .text(known.text), .text("\(response.knownTime)"),
      .number(milliseconds), .text(new.id), .text(place.name),
      .number(place.chunkCount), .number(new.length), .data(new.record), .data(inline),
      .number(late.count), .number(changes.count), .number(tags.count), .number(obsolete.count),
      .text(Fence.current?.number(for: response.key, in: pool).map { "\($0)" } ?? ""),
    ]
    arguments += (late + changes + tags + obsolete).map(RedisArgument.text)
    let reply = try await pool.run(.write, [names.control, names.entry(response.key)], arguments)
    switch reply.elements?.first?.text {
    case "written":
      if let number = reply.elements?.last?.number { hearing.note(number, of: generation.name) }
      return .done
    case "removed": return .late(.removed)
    case "invalidated": return .late(.invalidated)
    case "fenced": return .late(.older)
    case "generation": return .again(isLost: true)
    case "version": return .again(isLost: false)
    case "body":
      if writing.body == nil { return .late(.bodyRemoved) }
      return .again(isLost: false)
    default: throw RedisFailure.unreadable
    }
  }

  /// Writes a large body, which is removed by itself unless its record follows.
  private func writeChunks(_ body: Data, _ place: BodyPlace) async throws(RedisFailure) {
    for chunk in 0..<place.chunkCount {
      let start = body.startIndex + chunk * BodyPlace.chunkSize
      let end = min(start + BodyPlace.chunkSize, body.endIndex)
      let words: [RedisArgument] = [
        .text("SET"), .text("\(names.bodies)\(place.name):\(chunk)"), .data(body[start..<end]),
        .text("EX"), .text("60"),
      ]
      _ = try await pool.send(.words(words))
    }
  }

  /// The time after which the server may remove a response, in milliseconds; a month at most.
  private func milliseconds(of response: StoredResponse) -> Int64 {
    let retention = configuration.retention / .seconds(1)
    let seconds = response.usefulTime(retention: retention, now: now())
    return Int64(min(max(seconds, 1), 30 * 86_400) * 1_000)
  }
}

extension SharedOrder.Position {
  /// The number, as an argument of a script.
  fileprivate var text: String {
    switch self {
    case .none: ""
    case .unknown: "0"
    case .after(let number): "\(number)"
    }
  }
}
#endif
