public import Freshet

/// A picture, with its source and the decisions that led to it.
public struct LoadedImage: Sendable {
  /// The picture.
  public let picture: Picture
  /// The SHA-256 of the encoded bytes, which identifies the picture on the screen.
  public let digest: SHA256Checksum
  /// The processors that have changed the picture.
  public let processors: [ImageProcessor]
  /// The source of the bytes.
  public let origin: Resource.Origin
  /// The freshness of the bytes.
  public let freshness: Resource.Freshness
  /// A Boolean value that indicates whether this is the last picture of its load.
  public let isFinal: Bool
  /// The decisions that led to the bytes, in order.
  public let explanation: Explanation

  /// Creates a loaded image, for previews and tests.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - digest: The digest of the encoded bytes.
  ///   - origin: The source of the bytes; the network by default.
  ///   - freshness: The freshness of the bytes; fresh by default.
  ///   - isFinal: A Boolean value that indicates whether it is the last picture of its load; `true` by
  ///     default.
  ///   - processors: The processors that have changed the picture; none by default.
  public init(
    _ picture: Picture,
    digest: SHA256Checksum,
    origin: Resource.Origin = .network,
    freshness: Resource.Freshness = .fresh,
    isFinal: Bool = true,
    processors: [ImageProcessor] = []
  ) {
    self.picture = picture
    self.digest = digest
    self.origin = origin
    self.freshness = freshness
    self.isFinal = isFinal
    self.processors = processors
    explanation = Explanation()
  }

  init(
    _ picture: Picture,
    digest: SHA256Checksum,
    of resource: Resource,
    processors: [ImageProcessor]
  ) {
    self.picture = picture
    self.digest = digest
    origin = resource.origin
    freshness = resource.freshness
    self.processors = processors
    isFinal = resource.isFinal
    explanation = resource.explanation
  }
}
