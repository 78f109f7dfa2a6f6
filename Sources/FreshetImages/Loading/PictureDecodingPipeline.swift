import Freshet
import FreshetEssentials

/// Decodes and processes resources to pictures: a decoder with its limits, its threads and its caches.
struct PictureDecodingPipeline: Sendable {
  let decoder: any PictureDecoder
  let limits: DecodingLimits
  let cache: PictureCache?
  let queue: DecodingQueue
  /// The seeds of the client; `nil` for none.
  let seeds: SeedStore?
  /// The stores that a load may change, in which what is no picture expires.
  var stores: [any ResourceStore] = []
  /// A Boolean value that indicates whether what is no picture is removed, because the load would use a
  /// copy that has expired.
  var removesBroken = false
  /// A Boolean value that indicates whether pictures are stored in the cache and removed from it.
  var changesCache = true
  /// The store of processed pictures; `nil` for none.
  var disk: DiskStore?
  let decodings = SharedDecodings()

  /// Returns the picture of a resource, from the cache if its bytes are the same, otherwise decoded.
  func picture(
    of resource: Resource,
    for identity: ImageRequest.Identity
  ) async throws(ImageError) -> LoadedImage {
    guard resource.body.length <= limits.bytes else {
      throw .tooLarge(.bytes(resource.body.length))
    }
    let digest = try await digest(of: resource)
    if let image = remembered(identity, digest: digest, of: resource) {
      await keep(image, of: resource, for: identity)
      return image
    }
    let picture = try await decodings.picture(
      SharedDecodings.Key(identity, digest)
    ) { () throws(ImageError) in
      // The picture may have been decoded while this task waited.
      if let image = remembered(identity, digest: digest, of: resource) { return image.picture }
      let picture =
        identity.processors.isEmpty
        ? try await decoded(resource, identity)
        : try await processed(resource, identity, digest)
      await keep(picture, digest, of: resource, for: identity)
      return picture
    }
    return await keep(picture, digest, of: resource, for: identity)
  }

  @discardableResult
  private func keep(
    _ picture: Picture,
    _ digest: SHA256Checksum,
    of resource: Resource,
    for identity: ImageRequest.Identity
  ) async -> LoadedImage {
    let image = LoadedImage(picture, digest: digest, of: resource, for: identity)
    await keep(image, of: resource, for: identity)
    return image
  }
}

extension PictureDecodingPipeline {
  /// Returns a preview of a picture that is arriving, and the number of bytes that had arrived.
  func preview(
    of body: ArrivingBody,
    for identity: ImageRequest.Identity
  ) async -> (picture: Picture?, length: Int)? {
    try? await queue.run { cancellation throws(ImageError) in
      let beginning = body.beginning
      guard beginning.count <= limits.bytes else { return (nil, beginning.count) }
      let picture = try? decoder.preview(
        of: beginning,
        plan(identity.unprocessed, cancellation)
      )?
      .processed(by: identity, limits, cancellation)
      return (picture, beginning.count)
    }
  }
}

// MARK: - Steps

extension PictureDecodingPipeline {
  /// Returns the digest from the download or a store; that of a seed is computed.
  private func digest(of resource: Resource) async throws(ImageError) -> SHA256Checksum {
    if let digest = resource.response.digest { return digest }
    return try await queue.run { () throws(ImageError) in
      do throws(FreshetError) {
        return try resource.sha256()
      } catch {
        throw .resource(error)
      }
    }
  }

  /// Returns the cached picture with the provenance of a newer resource that has the same bytes.
  private func remembered(
    _ identity: ImageRequest.Identity,
    digest: SHA256Checksum,
    of resource: Resource
  ) -> LoadedImage? {
    guard let entry = cache?.find(identity), entry.image.digest == digest else { return nil }
    return LoadedImage(entry.image.picture, digest: digest, of: resource, for: identity)
  }

  func decoded(
    _ resource: Resource,
    _ identity: ImageRequest.Identity
  ) async throws(ImageError) -> Picture {
    try await queue.run { cancellation throws(ImageError) in
      let data: Data
      do throws(FreshetError) {
        data = try resource.data(limit: Int(limits.bytes))
      } catch {
        throw .resource(error)
      }
      return try decoder.decode(data, plan(identity, cancellation))
    }
  }

  private func plan(
    _ identity: ImageRequest.Identity,
    _ cancellation: DecodingCancellation
  ) -> DecodingPlan {
    DecodingPlan {
      $0.cancellation = cancellation
      $0.target = identity.target
      $0.animation = identity.animation
      $0.limits = limits
    }
  }

  /// Caches a picture if its response is valid for the identity: the user may have changed since the
  /// load began.
  ///
  /// The newest response decides about caching, also for a picture that is already cached.
  private func keep(
    _ image: LoadedImage,
    of resource: Resource,
    for identity: ImageRequest.Identity
  ) async {
    let response = resource.response
    guard changesCache, response.answers(identity.headers) else { return }
    let known = cache?.find(identity)
    if let newer = known?.response, newer.outranks(response) { return }
    guard response.mayBeKept else {
      cache?.remove(identity)
      if !identity.processors.isEmpty { await disk?.removeDerived(from: response.key) }
      return
    }
    guard let cache,
      known?.image.digest != image.digest
        || known?.mayBeShownStale != response.mayBeShownStale
        || known?.response?.responseTime != response.responseTime
    else { return }
    let entry = PictureEntries.Entry(
      image: image,
      mayBeShownStale: response.mayBeShownStale,
      response: response.withoutBody,
      isSeed: await isSeed(response, for: identity)
    )
    // Another load may have cached a newer one meanwhile.
    if let newer = cache.find(identity)?.response, newer.outranks(response) { return }
    cache.keep(entry, for: identity)
  }

  /// Returns whether a response has the times of its seed, also one that a faster store has taken over.
  private func isSeed(
    _ response: StoredResponse,
    for identity: ImageRequest.Identity
  ) async -> Bool {
    guard let seed = await seeds?.find(response.key, for: identity.headers) else { return false }
    return seed.requestTime == response.requestTime && seed.responseTime == response.responseTime
  }
}
