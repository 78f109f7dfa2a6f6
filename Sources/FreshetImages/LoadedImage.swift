public import Freshet

/// A picture, with its source and the decisions that led to it.
public struct LoadedImage: Sendable {
  /// The picture.
  public let picture: Picture
  /// The SHA-256 of the encoded bytes, which identifies the picture on the screen.
  public let digest: SHA256Checksum
  /// The processors that have changed the picture.
  public let processors: [ImageProcessor]
  /// The source of the bytes; `memory` for a preview from a ``PictureCache``.
  public let source: Resource.Source
  /// The freshness of the bytes.
  public let freshness: Resource.Freshness
  /// A Boolean value that indicates whether this is the last picture of its load.
  public let isFinal: Bool
  /// The decisions that led to the bytes, in order.
  public let explanation: Explanation
  /// The number of pixels per point of the request's target, in which the lengths of processors are.
  var scale = 1.0

  /// Creates a loaded image, for previews and tests.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - digest: The digest of the encoded bytes.
  ///   - source: The source of the bytes; the network by default.
  ///   - freshness: The freshness of the bytes; fresh by default.
  ///   - isFinal: A Boolean value that indicates whether it is the last picture of its load; `true` by
  ///     default.
  ///   - processors: The processors that have changed the picture; none by default.
  public init(
    _ picture: Picture,
    digest: SHA256Checksum,
    source: Resource.Source = .network,
    freshness: Resource.Freshness = .fresh,
    isFinal: Bool = true,
    processors: [ImageProcessor] = []
  ) {
    self.picture = picture
    self.digest = digest
    self.source = source
    self.freshness = freshness
    self.isFinal = isFinal
    self.processors = processors
    explanation = Explanation()
  }

  /// Creates a preview of an image that a cache has.
  init(remembered image: LoadedImage, _ freshness: Resource.Freshness) {
    picture = image.picture
    digest = image.digest
    processors = image.processors
    source = .memory
    self.freshness = freshness
    isFinal = false
    explanation = image.explanation
    scale = image.scale
  }

  init(
    _ picture: Picture,
    digest: SHA256Checksum,
    of resource: Resource,
    for identity: ImageRequest.Identity
  ) {
    self.picture = picture
    self.digest = digest
    source = resource.source
    freshness = resource.freshness
    processors = identity.processors
    isFinal = resource.isFinal
    explanation = resource.explanation
    scale = identity.target?.pictureScale ?? 1
  }
}
