public import Freshet

/// A picture, and the story of how it came about.
public struct LoadedImage: Sendable {
  /// The picture.
  public let picture: Picture
  /// The SHA-256 of the bytes that it was decoded from: its identity on the screen.
  public let digest: SHA256Digest
  /// Where the bytes came from.
  public let origin: Resource.Origin
  /// How up to date they are.
  public let freshness: Resource.Freshness
  /// Whether nothing will follow it.
  public let isFinal: Bool
  /// The decisions that led to the bytes, in order.
  public let explanation: Explanation

  /// Makes a loaded image, such as a preview or a test shows.
  ///
  /// - Parameters:
  ///   - picture: The picture.
  ///   - digest: The digest of the bytes that it was decoded from.
  ///   - origin: Where the bytes came from; the network by default.
  ///   - freshness: How up to date they are; fresh by default.
  ///   - isFinal: Whether nothing will follow it; so by default.
  public init(
    _ picture: Picture,
    digest: SHA256Digest,
    origin: Resource.Origin = .network,
    freshness: Resource.Freshness = .fresh,
    isFinal: Bool = true
  ) {
    self.picture = picture
    self.digest = digest
    self.origin = origin
    self.freshness = freshness
    self.isFinal = isFinal
    explanation = Explanation()
  }

  init(_ picture: Picture, digest: SHA256Digest, of resource: Resource) {
    self.picture = picture
    self.digest = digest
    origin = resource.origin
    freshness = resource.freshness
    isFinal = resource.isFinal
    explanation = resource.explanation
  }
}
