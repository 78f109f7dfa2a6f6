import Freshet
import FreshetEssentials

extension PictureDecodingPipeline {
  /// Lets the stored copies of a resource expire, whose bytes are no picture, or removes them.
  ///
  /// They may be a page that a network has put in its place, or only a part of it.
  func expireCopies(of resource: Resource) async {
    for (store, copy) in await resource.copies(in: stores) {
      if removesBroken { try? await store.remove(copy) } else { await store.expire(copy) }
    }
  }
}

extension ImageError {
  /// A Boolean value that indicates whether other bytes might be a picture.
  var isOfBytes: Bool {
    switch self {
    case .unsupported, .damaged: true
    case .resource, .processing, .tooLarge: false
    }
  }
}
