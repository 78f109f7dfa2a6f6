import Foundation
import Freshet

/// What turns resources into pictures: a decoder, its limits, its threads, and what it has made.
struct PictureWorkshop: Sendable {
  let decoder: any PictureDecoder
  let limits: DecodingLimits
  let cache: PictureCache?
  let queue: DecodingQueue

  func picture(
    of resource: Resource,
    for identity: ImageRequest.Identity
  ) async throws(ImageError) -> LoadedImage {
    if let digest = resource.response.digest,
      let image = remembered(identity, digest: digest, of: resource)
    {
      return image
    }
    return try await queue.run { () throws(ImageError) in
      try make(identity, of: resource)
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

  private func make(
    _ identity: ImageRequest.Identity,
    of resource: Resource
  ) throws(ImageError) -> LoadedImage {
    guard resource.body.length <= limits.bytes else {
      throw .tooLarge(.bytes(resource.body.length))
    }
    let data: Data
    let digest: SHA256Digest
    do throws(FreshetError) {
      data = try resource.data(limit: Int(limits.bytes))
      digest = try resource.sha256()
    } catch {
      throw .resource(error)
    }
    if let image = remembered(identity, digest: digest, of: resource) { return image }
    let plan = DecodingPlan {
      $0.target = identity.target
      $0.animation = identity.animation
      $0.limits = limits
    }
    let image = LoadedImage(try decoder.decode(data, plan), digest: digest, of: resource)
    if resource.response.mayBeKept {
      let entry = PictureEntries.Entry(
        image: image,
        mayBeShownStale: resource.response.mayBeShownStale
      )
      cache?.keep(entry, for: identity)
    }
    return image
  }
}
