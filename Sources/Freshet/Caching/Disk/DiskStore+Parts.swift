import FreshetEssentials

extension DiskStore {
  /// Returns the response that the stored parts form if they are complete, and stores it as a
  /// whole.
  func wholeOfParts(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    // What is removed while the parts are read does not come back.
    let began = EventInstant.now
    guard !headers.contains(.range), let part = await currentPart(key, for: headers),
      part.covers(0..<part.total)
    else { return nil }
    // What is larger than the store stays where it is.
    let isKept = part.total < shared.limits.bytes
    guard let (file, digest) = await part.body(isTemporary: isKept) else { return nil }
    let body = ResourceBody(file)
    do throws(FreshetError) {
      guard try body.mismatch(with: DigestFields(whole: part.head), sha256: digest) == nil else {
        parts.remove(part)
        return nil
      }
    } catch {
      file.keep()
      return nil
    }
    // Whom it is for is found by the request's own fields.
    let varying = VaryingFields(response: part.head.headers, request: headers)
    let whole = part.response(
      key,
      varying: varying,
      body: body,
      digest: digest,
      order: (nil, began)
    )
    guard isKept else { return whole }
    do throws(FreshetError) {
      return try await keep(whole)
    } catch {
      guard error.storeFailure?.isLate != true else {
        parts.remove(part)
        return nil
      }
      // There is no room for a record, for instance: the parts stay as they are.
      file.keep()
      return whole
    }
  }

  /// The range that a request asks for, if parts have all of it: a 206 of what is stored.
  ///
  /// Conditions of the request's own are not looked at.
  public func findPart(
    of request: Request,
    _ key: CacheKey,
    for headers: HTTPHeaders
  ) async -> StoredResponse? {
    guard let question = PartQuestion(request.withoutConditions), await isUsable(),
      let part = await currentPart(key, for: headers),
      let positions = question.range.positions(in: part.total), part.covers(positions),
      question.accepts(part.validator),
      let writer = try? SpoolWriter(spool, expectedLength: positions.length)
    else { return nil }
    var position = positions.lowerBound
    while position < positions.upperBound {
      guard let data = part.read(at: position, to: positions.upperBound),
        (try? writer.append(data)) != nil
      else { return nil }
      position += Int64(data.count)
      if position < positions.upperBound { await Task.yield() }
    }
    guard let (body, _) = try? writer.finish() else { return nil }
    return part.response(key, body: body).under(part.head(of: positions))
  }

  /// Removes the parts that are stored for a request, if a closure returns `true`.
  public func removeParts(
    of key: CacheKey,
    for headers: HTTPHeaders,
    where isWanted: @Sendable (StoredResponse) -> Bool
  ) async {
    guard let part = parts.find(key, for: headers),
      isWanted(part.response(key, body: ResourceBody(Data())))
    else { return }
    parts.remove(part)
  }

  /// Returns the parts that are stored for a request, unless the key has been invalidated since they
  /// were requested: another process may have heard of a change while they arrived.
  ///
  /// A change more than a day in the future was recorded by a clock that was ahead. It has removed the parts
  /// that were stored before it; later ones would be removed at each lookup as long as it is in the future.
  private func currentPart(_ key: CacheKey, for headers: HTTPHeaders) async -> PartFile? {
    guard let part = parts.find(key, for: headers) else { return nil }
    let requested = Date(timeIntervalSinceReferenceDate: part.whole.requestTime)
    let latest = shared.tuning.now() + Invalidations.longestTransfer
    if let time = await invalidationTime(of: key), time > requested,
      time <= latest || requested > latest
    {
      parts.remove(part)
      return nil
    }
    return part
  }
}
