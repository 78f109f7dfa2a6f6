public import Freshet

/// What there is to show at a moment of a load.
///
/// A load begins with `placeholder`, or with `preview` if a decoded picture is at hand. It ends with
/// `image` or with `failure`, once, and with neither only if its reader is cancelled.
public enum ImagePhase: Sendable {
  /// Nothing is known yet.
  case placeholder
  /// Bytes arrive; conflated to the newest.
  case loading(TransferProgress)
  /// The whole picture, but coarse, while the rest of it arrives, see
  /// ``ImageOptions/arrival-swift.property``; never after a `preview`.
  case arriving(Picture)
  /// A local copy, while the origin is asked whether it is still right.
  case preview(LoadedImage)
  /// The final picture, and what it means for who has followed this load.
  case image(LoadedImage, ImageChange)
  /// There will be no better picture, because of this; `showing` is the preview that stays, if there
  /// was one.
  case failure(ImageError, showing: LoadedImage?)
}

/// What the final picture of a load is, compared with its preview: by digest, not by URL.
public enum ImageChange: String, Sendable, Hashable, CaseIterable {
  /// There was no preview.
  case appeared
  /// The preview was another picture.
  case replaced
  /// The preview was the same picture.
  case unchanged
}

extension ImagePhase {
  /// What there is to show, if there is something.
  public var image: LoadedImage? {
    switch self {
    case .placeholder, .loading, .arriving: nil
    case .preview(let image), .image(let image, _): image
    case .failure(_, let image): image
    }
  }

  /// Why there will be no better picture.
  public var error: ImageError? {
    if case .failure(let error, _) = self { error } else { nil }
  }
}
