/// What a view tells when a load has come to something, see ``ImageOptions/completion-swift.property``.
public struct ImageReport: Sendable {
  /// What the load has come to.
  public enum Outcome: Sendable {
    /// A local copy, while the origin is asked; another report follows it.
    case preview(LoadedImage)
    /// The final picture.
    case image(LoadedImage)
    /// There will be no better picture.
    case failure(ImageError)
  }

  /// What was asked for.
  public let request: ImageRequest
  /// What the load has come to.
  public let outcome: Outcome
  /// Whether another picture is on the screen than before.
  public let hasChanged: Bool
}
