public import Foundation
public import Freshet

extension Client {
  /// Loads the picture at a URL, with a loader for this call alone.
  ///
  /// The client's stores serve it; decoded pictures are not kept. Views that show many pictures share
  /// an ``ImageLoader``.
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
  ///   - target: The box that it is to fill; its full size by default.
  ///   - options: How the load shows itself.
  /// - Returns: A cold sequence of phases.
  public func image(
    at url: URL,
    target: ImageTarget? = nil,
    options: ImageOptions = ImageOptions()
  ) -> ImageSequence {
    ImageLoader(self) { $0.memory = nil }.image(at: url, target: target, options: options)
  }
}
