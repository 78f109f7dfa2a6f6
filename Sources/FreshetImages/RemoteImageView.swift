#if canImport(UIKit) && !os(watchOS)
import UIKit
#elseif canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
#endif

#if (canImport(UIKit) && !os(watchOS)) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
// The views of UIKit and AppKit have this in common.
extension RemoteImageView {
  /// Shows the image of a request, or the placeholder for `nil`.
  ///
  /// - Parameters:
  ///   - request: The image to show.
  ///   - loader: The loader of the image.
  public func show(_ request: ImageRequest?, with loader: ImageLoader) {
    let presenter = self.presenter ?? ImagePresenter(loader: loader, surface: self)
    presenter.loader = loader
    presenter.options = options ?? loader.configuration.options
    self.presenter = presenter
    scale = request?.target?.pictureScale ?? 1
    presenter.show(request)
    // An equal picture is not displayed again, but its animation stopped with the removal of the view.
    if !player.isPlaying, content.visiblePicture?.isAnimated == true { redraw() }
  }

  /// Passes the report to ``onCompletion``.
  public func complete(_ report: ImageReport) {
    onCompletion(report)
  }

  func redraw() {
    player.stop()
    switch content {
    case .placeholder: image = placeholder
    case .failure: image = failure ?? placeholder
    case .arriving(let picture): draw(picture.bitmap)
    case .picture(let loaded): player.play(loaded.picture) { [weak self] in self?.draw($0) }
    }
  }

  /// Shows a new placeholder, which does not concern a visible picture and its animation.
  func redrawIfEmpty() {
    if content.visiblePicture == nil { redraw() }
  }
}
#endif
