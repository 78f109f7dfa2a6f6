/// The content of a view.
public enum ImageContent: Sendable {
  /// No picture: the view shows its placeholder, if it has one.
  case placeholder
  /// A preview of a picture that is arriving.
  case arriving(Picture)
  /// A picture.
  case picture(LoadedImage)
  /// A failure: the view shows its picture for failures, if it has one, otherwise its placeholder.
  case failure(ImageError)

  /// The picture to draw, complete or arriving.
  public var visiblePicture: Picture? {
    switch self {
    case .placeholder, .failure: nil
    case .arriving(let picture): picture
    case .picture(let image): image.picture
    }
  }

  /// The loaded picture, if there is one.
  public var image: LoadedImage? {
    if case .picture(let image) = self { image } else { nil }
  }

  /// The error, if a load has failed.
  public var error: ImageError? {
    if case .failure(let error) = self { error } else { nil }
  }
}
