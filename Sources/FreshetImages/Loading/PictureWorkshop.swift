import Foundation
import Freshet

/// What turns resources into pictures: a decoder, its limits, its threads, and what it has made.
struct PictureWorkshop: Sendable {
  let decoder: any PictureDecoder
  let limits: DecodingLimits
  let cache: PictureCache?
  let queue: DecodingQueue
  let decodings = SharedDecodings()

  init(
    decoder: any PictureDecoder,
    limits: DecodingLimits,
    cache: PictureCache?,
    queue: DecodingQueue
  ) {
    self.decoder = decoder
    self.limits = limits
    self.cache = cache
    self.queue = queue
  }

  /// The picture of a resource: what the cache has for its bytes, or what is made of them.
  func picture(
    of resource: Resource,
    for identity: ImageRequest.Identity
  ) async throws(ImageError) -> LoadedImage {
    guard resource.body.length <= limits.bytes else {
      throw .tooLarge(.bytes(resource.body.length))
    }
    let digest = try await digest(of: resource)
    if let image = remembered(identity, digest: digest, of: resource) {
      keep(image, of: resource, for: identity)
      return image
    }
    let picture = try await decodings.picture(
      SharedDecodings.Key(digest: digest, target: identity.target, animation: identity.animation)
    ) { () throws(ImageError) in
      // Whoever waited for a turn may find what was made meanwhile.
      if let image = remembered(identity, digest: digest, of: resource) { return image.picture }
      let picture = try await queue.run { () throws(ImageError) in try decode(resource, identity) }
      keep(LoadedImage(picture, digest: digest, of: resource), of: resource, for: identity)
      return picture
    }
    let image = LoadedImage(picture, digest: digest, of: resource)
    keep(image, of: resource, for: identity)
    return image
  }
}

extension PictureWorkshop {
  /// What can be seen of a picture that has not arrived whole.
  func preview(of body: ArrivingBody, for identity: ImageRequest.Identity) async -> Picture? {
    try? await queue.run { () throws(ImageError) in
      let beginning = body.beginning
      guard beginning.count <= limits.bytes else { return nil }
      return try decoder.preview(of: beginning, plan(identity))
    }
  }
}

// MARK: - Steps

extension PictureWorkshop {
  /// The digest that the download or a store knows; that of a seed is computed.
  private func digest(of resource: Resource) async throws(ImageError) -> SHA256Digest {
    if let digest = resource.response.digest { return digest }
    return try await queue.run { () throws(ImageError) in
      do throws(FreshetError) {
        return try resource.sha256()
      } catch {
        throw .resource(error)
      }
    }
  }

  /// The cached picture under the story of a newer resource with the same bytes.
  private func remembered(
    _ identity: ImageRequest.Identity,
    digest: SHA256Digest,
    of resource: Resource
  ) -> LoadedImage? {
    guard let entry = cache?.find(identity), entry.image.digest == digest else { return nil }
    return LoadedImage(entry.image.picture, digest: digest, of: resource)
  }

  private func decode(
    _ resource: Resource,
    _ identity: ImageRequest.Identity
  ) throws(ImageError) -> Picture {
    let data: Data
    do throws(FreshetError) {
      data = try resource.data(limit: Int(limits.bytes))
    } catch {
      throw .resource(error)
    }
    return try decoder.decode(data, plan(identity))
  }

  private func plan(_ identity: ImageRequest.Identity) -> DecodingPlan {
    DecodingPlan {
      $0.target = identity.target
      $0.animation = identity.animation
      $0.limits = limits
    }
  }

  /// Keeps a picture for whoever may be given its response: somebody else may have signed in since
  /// the load began.
  ///
  /// What the newest response says counts, for a picture that is kept already too.
  private func keep(
    _ image: LoadedImage,
    of resource: Resource,
    for identity: ImageRequest.Identity
  ) {
    guard let cache, resource.response.answers(identity.headers) else { return }
    guard resource.response.mayBeKept else { return cache.remove(identity) }
    let mayBeShownStale = resource.response.mayBeShownStale
    let known = cache.find(identity)
    guard known?.image.digest != image.digest || known?.mayBeShownStale != mayBeShownStale
    else { return }
    cache.keep(PictureEntries.Entry(image: image, mayBeShownStale: mayBeShownStale), for: identity)
  }
}
