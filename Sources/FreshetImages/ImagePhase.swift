public import Freshet

/// The state of a load.
///
/// A load begins with `placeholder`, or with `preview` if there is a decoded picture in memory. It ends
/// with one `image` or `failure`, or without either if its reader is cancelled.
public enum ImagePhase: Sendable {
  /// There is no picture yet.
  case placeholder
  /// Bytes are arriving; conflated to the newest progress.
  case loading(TransferProgress)
  /// The whole picture at a lower quality, while the rest of it is arriving.
  ///
  /// See ``ImageOptions/arrival-swift.property``; it never follows a `preview`.
  case arriving(Picture)
  /// A local copy, while it is being revalidated.
  case preview(LoadedImage)
  /// The final picture, and its relation to the preview.
  case image(LoadedImage, ImageChange)
  /// The load has failed; `showing` is the preview that stays on the screen, if there was one.
  case failure(ImageError, showing: LoadedImage?)
}

/// The relation of the final picture of a load to its preview, compared by digest, not by URL.
public enum ImageChange: String, Sendable, Hashable, CaseIterable {
  /// There was no preview.
  case appeared
  /// The preview was another picture.
  case replaced
  /// The preview was the same picture.
  case unchanged
}

extension ImagePhase {
  /// The picture to show, if there is one.
  public var image: LoadedImage? {
    switch self {
    case .placeholder, .loading, .arriving: nil
    case .preview(let image), .image(let image, _): image
    case .failure(_, let image): image
    }
  }

  /// The error of a failed load.
  public var error: ImageError? {
    if case .failure(let error, _) = self { error } else { nil }
  }
}
