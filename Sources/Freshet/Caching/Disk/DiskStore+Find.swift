public import FreshetEssentials

extension DiskStore {
  /// Returns the newest stored response for the key whose varying fields match the request's
  /// headers.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - headers: The request's headers, which select among variants.
  /// - Returns: The response, fresh or not, a large body in a file that is open; `nil` if there is
  ///   none, it is damaged, or the store cannot be used, which a ``Diagnostic`` reports.
  public func find(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    await find(key, for: headers, like: nil)
  }

  /// Returns the newest stored response for the key, like ``find(_:for:)``.
  ///
  /// The URL need not be parsed again if it is the response's.
  public func lookUp(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    likely url: URL
  ) async -> LookupResult {
    await find(key, for: headers, like: url).map(LookupResult.copy) ?? .missing
  }

  private func find(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    like url: URL?
  ) async -> StoredResponse? {
    if generation == nil {
      guard await isUsable() else { return nil }
    }
    // A missing file was replaced a moment ago, unless its row is still there.
    var missing: DiskHit?
    while true {
      guard let (hit, beside) = await row(key, for: headers, like: url) else {
        return await wholeOfParts(key, for: headers)
      }
      if let missing, missing.id == hit.id, missing.fingerprint == hit.fingerprint {
        await drop(hit, because: "its body file is missing")
        return nil
      }
      switch await body(of: hit) {
      case .whole(let body):
        guard let response = found(hit, body) else { return nil }
        guard let beside, let copy = await copy(beside) else { return response }
        return response.with(beside: StoredResponse.Beside(response: copy, source: source))
      case .missing:
        missing = hit
      case .damaged(let reason):
        await drop(hit, because: reason)
        return nil
      case .unreadable(let failure):
        shared.couldNotRead(failure.reason)
        return nil
      }
    }
  }

  /// Returns the response of a row whose body exists, unless it has been invalidated.
  private func found(_ hit: DiskHit, _ body: ResourceBody) -> StoredResponse? {
    let response = hit.response.with(body: body, digest: hit.digest)
    if isInvalidated(response) { return nil }
    noteUse(of: hit)
    return isExpired(response) ? response.outdated() : response
  }

  /// Returns the copy beside an error; a damaged one is dropped when it is to answer.
  private func copy(_ hit: DiskHit) async -> StoredResponse? {
    guard case .whole(let body) = await body(of: hit) else { return nil }
    return found(hit, body)
  }

  /// Returns a Boolean value that indicates whether the store is open; the first use opens it.
  ///
  /// If that failed, it is tried again after a second.
  func isUsable() async -> Bool {
    switch shared.current {
    case .open: return true
    case .closed: return false
    case .failed(_, let time) where ContinuousClock.now - time < .seconds(1): return false
    case .failed, .unopened: return (try? await open()) != nil
    }
  }

  private func row(
    _ key: CacheKey,
    for headers: HTTPHeaders,
    like url: URL?
  ) async -> (DiskHit, beside: DiskHit?)? {
    guard case .open(let generation, _) = shared.current else { return nil }
    do throws(SQLiteError) {
      let found: DiskLookup? =
        try await read { reader throws(SQLiteError) in
          try reader.find(key, for: headers, like: url)
        } ?? nil
      shared.couldRead()
      switch found {
      case nil: return nil
      case .hit(let hit, let beside): return (hit, beside)
      case .damaged(let id, let fingerprint):
        await drop(id, fingerprint, key, because: "its record is damaged")
        return nil
      }
    } catch {
      let error = shared.judged(error, isWriting: false)
      if error.isCorruption {
        await recover(generation, from: error)
      } else {
        shared.couldNotRead(error.reason)
      }
      return nil
    }
  }

  /// Lets the writer replace the database that a reader found damaged, unless it was replaced
  /// already.
  func recover(_ generation: Int, from error: SQLiteError) async {
    try? await writer.perform { transaction throws(SQLiteError) in
      if transaction.generation == generation { throw error }
    }
  }

  private func noteUse(of hit: DiskHit) {
    let (count, isFirst) = shared.touches.add(hit.id, at: shared.tuning.now())
    if count == shared.tuning.touchLimit {
      writer.attend(soon: true)
    } else if isFirst {
      writer.attend(soon: false)
    }
  }
}

// MARK: - Damage

extension DiskStore {
  private func drop(_ hit: DiskHit, because reason: String) async {
    await drop(hit.id, hit.fingerprint, hit.response.key, because: reason)
  }

  func drop(
    _ id: Int64,
    _ fingerprint: Int64,
    _ key: CacheKey,
    because reason: String
  ) async {
    shared.report(.entryDropped(url: key.shown, reason: reason))
    try? await writer.perform { transaction throws(SQLiteError) in
      try transaction.drop(id, fingerprint)
    }
  }
}

extension DiskTransaction {
  /// Deletes a record, unless its row now holds another one.
  func drop(_ id: Int64, _ fingerprint: Int64) throws(SQLiteError) {
    try deleteAll(
      "SELECT id, cost, file FROM response WHERE id = ? AND fingerprint = ?",
      [.integer(id), .integer(fingerprint)]
    )
  }
}

extension CacheKey {
  /// The URL for diagnostics, without partition and secrets.
  package var shown: String { Redaction.shown(String(own)) }
}

// MARK: - Bodies

extension DiskStore {
  enum Found {
    case whole(ResourceBody)
    case missing
    case damaged(String)
    case unreadable(FileFailure)
  }

  /// The largest body in a file that is verified before it is returned, in bytes.
  static let verifiedLimit: Int64 = 16 << 20

  func body(of hit: DiskHit) async -> Found {
    switch hit.body {
    case .inline(let data): return inline(data, of: hit)
    case .file(let name):
      let found = file(name, of: hit)
      guard hit.length <= Self.verifiedLimit, case .whole(let body) = found,
        case .file(let file) = body.storage, let verification = file.verification
      else { return found }
      return await verified(file, verification) ?? found
    }
  }

  /// Reads a body once, in pieces between which other tasks run.
  ///
  /// - Returns: The damage, or the failure to read; `nil` if the body is intact.
  private func verified(_ file: BodyFile, _ verification: BodyVerification) async -> Found? {
    let hasher = SHA256Hasher()
    var offset: Int64 = 0
    do throws(FileFailure) {
      while offset < file.length {
        let count = Int(min(file.length - offset, 1 << 20))
        let piece = try file.file.read(at: offset, count: count)
        guard piece.count == count else { return .damaged("its body has the wrong length") }
        hasher.update(piece)
        offset += Int64(count)
        if offset < file.length { await Task.yield() }
      }
    } catch {
      return .unreadable(error)
    }
    guard hasher.finish() == verification.expected else {
      return .damaged("its body does not match its digest")
    }
    verification.succeed()
    return nil
  }

  private func inline(_ data: Data, of hit: DiskHit) -> Found {
    guard Int64(data.count) == hit.length else { return .damaged("its body has the wrong length") }
    if !shared.verified.contains(hit.id, hit.fingerprint) {
      guard SHA256Hasher.digest(of: data) == hit.digest else {
        return .damaged("its body does not match its digest")
      }
      shared.verified.insert(hit.id, hit.fingerprint)
    }
    return .whole(ResourceBody(data))
  }

  private func file(_ name: String, of hit: DiskHit) -> Found {
    do throws(FileFailure) {
      let path = shared.layout.bodyPath(name)
      let (file, status) = try OpenFile.regular(path, O_RDONLY | O_NOFOLLOW)
      guard Int64(status.st_size) == hit.length else {
        return .damaged("its body has the wrong length")
      }
      let body = BodyFile(
        file,
        url: shared.layout.body(name),
        length: hit.length,
        isTemporary: false,
        verification: verification(of: hit)
      )
      return .whole(ResourceBody(body))
    } catch {
      if error.isMissing { return .missing }
      return error.isRefusal ? .damaged("its body is not a regular file") : .unreadable(error)
    }
  }

  private func verification(of hit: DiskHit) -> BodyVerification? {
    let (id, fingerprint, key) = (hit.id, hit.fingerprint, hit.response.key)
    if shared.verified.contains(id, fingerprint) { return nil }
    return BodyVerification(hit.digest) { [shared, writer] isRight in
      if isRight {
        shared.verified.insert(id, fingerprint)
        return
      }
      shared.report(.entryDropped(url: key.shown, reason: "its body does not match its digest"))
      writer.post { transaction throws(SQLiteError) in try transaction.drop(id, fingerprint) }
    }
  }
}
