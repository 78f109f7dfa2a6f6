/// A report about a load for the owner of a view, see ``ImageOptions/completion-swift.property``.
public struct ImageReport: Sendable {
  /// The result of the load.
  public enum Outcome: Sendable {
    /// A local copy, while it is being revalidated; another report follows.
    case preview(LoadedImage)
    /// The final picture.
    case image(LoadedImage)
    /// The load has failed.
    case failure(ImageError)
  }

  /// The request.
  public let request: ImageRequest
  /// The result of the load.
  public let outcome: Outcome
  /// A Boolean value that indicates whether the picture on the screen has changed; `true` for a failure, even if
  /// the picture stays.
  public let hasChanged: Bool
}
