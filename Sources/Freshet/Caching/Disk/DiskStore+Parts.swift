import Foundation

extension DiskStore {
  /// The response that the stored parts make, if they are all there, which is kept as any other from then on.
  func wholeOfParts(_ key: CacheKey, for headers: HTTPHeaders) async -> StoredResponse? {
    guard !headers.contains(.range), let part = parts.find(key, for: headers),
      part.covers(0..<part.total)
    else { return nil }
    do throws(FreshetError) {
      let (body, digest) = try part.body()
      guard
        DigestFields(whole: part.head).mismatch(sha256: digest.bytes, sha512: nil) == nil
      else {
        parts.remove(part)
        return nil
      }
      // Whom it is for is found by the request's own fields.
      let varying = VaryingFields(response: part.head.headers, request: headers)
      return try await keep(part.response(key, varying: varying, body: body, digest: digest))
    } catch {
      return nil
    }
  }

  /// The range that a request asks for, if parts have all of it: a 206 of what is stored.
  func part(for context: FetchContext) async -> StoredResponse? {
    guard let question = PartQuestion(context.request), await isUsable(),
      let part = parts.find(context.key, for: context.headers),
      let positions = question.range.positions(in: part.total), part.covers(positions),
      question.accepts(part.validator),
      let writer = try? SpoolWriter(spool, expectedLength: Int64(positions.count))
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
    return part.response(context.key, body: body).under(part.head(of: positions))
  }
}
