import Freshet
import FreshetEssentials

extension PictureDecodingPipeline {
  /// Returns the processed picture of a resource, from the disk if it was processed before.
  ///
  /// Lists that begin at the same time share the decoding.
  func processed(
    _ resource: Resource,
    _ identity: ImageRequest.Identity,
    _ digest: SHA256Checksum
  ) async throws(ImageError) -> Picture {
    if let picture = await stored(resource, identity, digest) { return picture }
    let plain = identity.unprocessed
    let picture = try await decodings.picture(
      SharedDecodings.Key(plain, digest)
    ) { () throws(ImageError) in
      if let entry = cache?.find(plain), entry.image.digest == digest {
        return entry.image.picture
      }
      return try await decoded(resource, plain)
    }
    let processed = try await queue.run { cancellation throws(ImageError) in
      try picture.processed(by: identity, limits, cancellation)
    }
    await store(processed, resource, identity, digest)
    return processed
  }

  /// Returns the picture of the disk; a damaged one, or one that is now beyond the limits, is processed
  /// again.
  private func stored(
    _ resource: Resource,
    _ identity: ImageRequest.Identity,
    _ digest: SHA256Checksum
  ) async -> Picture? {
    let (name, key) = (PictureRecord.name(of: identity), resource.response.key)
    guard let disk,
      let body = await disk.derived(name, from: key, digest: digest, for: identity.headers)
    else { return nil }
    return try? await queue.run { () throws(ImageError) in
      guard body.length <= limits.bytes, let data = try? body.data(limit: Int(limits.bytes)) else {
        return nil
      }
      return try PictureRecord.picture(Array(data), limits)
    }
  }

  private func store(
    _ picture: Picture,
    _ resource: Resource,
    _ identity: ImageRequest.Identity,
    _ digest: SHA256Checksum
  ) async {
    let response = resource.response
    guard let disk, response.mayBeKept, response.answers(identity.headers),
      let bytes = try? await queue.run({ () throws(ImageError) in PictureRecord.bytes(picture) }),
      // A longer one would not be read.
      bytes.count <= limits.bytes
    else { return }
    await disk.keepDerived(
      ResourceBody(Data(bytes)),
      PictureRecord.name(of: identity),
      from: response.key,
      digest: digest,
      for: identity.headers
    )
  }
}
