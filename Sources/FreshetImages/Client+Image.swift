public import Freshet
public import FreshetEssentials

extension Client {
  /// Loads the image at a URL, with a loader for this call only.
  ///
  /// The client's stores are used; decoded pictures are not cached. Views that show many pictures
  /// should share an ``ImageLoader``.
  ///
  /// ```swift
  /// for await phase in client.image(at: url) {
  ///   switch phase {
  ///   case .placeholder, .arriving: break
  ///   case .loading(let progress): print(progress.completed, "bytes")
  ///   case .preview(let image), .image(let image, _): print(image.picture.size)
  ///   case .failure(let error, _): print(error)
  ///   }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - url: An absolute `http` or `https` URL.
  ///   - target: The box that the image will fill; its full size by default.
  ///   - options: The options of the load.
  /// - Returns: A cold sequence of phases.
  public func image(
    at url: URL,
    target: ImageTarget? = nil,
    options: ImageOptions = ImageOptions()
  ) -> ImageSequence {
    ImageLoader(self) { $0.memory = nil }.image(at: url, target: target, options: options)
  }
}
