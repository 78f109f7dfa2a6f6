import Foundation

extension DiskStore {
  /// Returns the response that the stored parts form if they are complete, and stores it as a
  /// whole.
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
      // The request's own fields select the variant.
      let varying = VaryingFields(response: part.head.headers, request: headers)
      return try await keep(part.response(key, varying: varying, body: body, digest: digest))
    } catch {
      return nil
    }
  }

  /// Returns the range that a request asks for as a 206, if the stored parts cover all of it.
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
