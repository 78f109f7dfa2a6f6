/// What a view has on the screen.
public enum ImageContent: Sendable {
  /// No picture: the view's placeholder, if it has one.
  case placeholder
  /// A picture that still arrives, coarse.
  case arriving(Picture)
  /// A picture.
  case picture(LoadedImage)
  /// The view's picture for failures, if it has one, or else its placeholder.
  case failure(ImageError)

  /// What is to be seen of a picture, whole or arriving.
  public var visiblePicture: Picture? {
    switch self {
    case .placeholder, .failure: nil
    case .arriving(let picture): picture
    case .picture(let image): image.picture
    }
  }

  /// The picture, if there is one that has arrived.
  public var image: LoadedImage? {
    if case .picture(let image) = self { image } else { nil }
  }

  /// Why there is no picture, if a load has failed.
  public var error: ImageError? {
    if case .failure(let error) = self { error } else { nil }
  }
}
