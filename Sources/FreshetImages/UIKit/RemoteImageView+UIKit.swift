#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// A `UIImageView` that shows the image at a URL.
///
/// ``ImagePresenter`` makes all decisions.
///
/// ```swift
/// cell.picture.show(ImageRequest(url), with: loader)
/// cell.picture.show(nil, with: loader)      // in prepareForReuse()
/// ```
public final class RemoteImageView: UIImageView, ImageSurface {
  /// The image to show while there is no picture; none by default.
  public var placeholder: UIImage? { didSet { redrawIfEmpty() } }
  /// The image to show after a failure; the placeholder by default.
  public var failure: UIImage? { didSet { redrawIfEmpty() } }
  /// The options of loads; `nil`, the default, uses those of the loader.
  public var options: ImageOptions?
  /// The duration of transitions, in seconds; 0.3 by default.
  public var transitionDuration = 0.3
  /// A closure that receives the reports of loads; it does nothing by default.
  public var onCompletion: (ImageReport) -> Void = { _ in }
  /// The presenter that runs the loads; `nil` before the first one.
  public internal(set) var presenter: ImagePresenter?

  private lazy var indicator = makeIndicator()
  var content = ImageContent.placeholder
  /// The number of pixels per point of the pictures.
  var scale = 1.0
  let player = FramePlayer()

  /// Abandons the load and stops the animation when the view is removed from its superview.
  public override func removeFromSuperview() {
    presenter?.disappear()
    player.stop()
    super.removeFromSuperview()
  }

  /// Shows content.
  ///
  /// - Parameters:
  ///   - content: The content to show.
  ///   - transition: The transition to it; see ``ImageTransition`` for the ones that UIKit supports.
  public func display(_ content: ImageContent, transition: ImageTransition) {
    self.content = content
    switch transition.onUIKit {
    case .view(let options):
      UIView.transition(with: self, duration: transitionDuration, options: options) {
        self.redraw()
      }
    case .layer(let type, let subtype):
      let movement = CATransition()
      movement.type = type
      movement.subtype = subtype
      movement.duration = transitionDuration
      layer.add(movement, forKey: kCATransition)
      redraw()
    case nil:
      redraw()
    }
  }

  /// Starts or stops the activity indicator.
  public func showActivity(_ isActive: Bool) {
    if isActive { indicator.startAnimating() } else { indicator.stopAnimating() }
  }

  func draw(_ bitmap: Bitmap) {
    image = bitmap.cgImage.map { UIImage(cgImage: $0, scale: scale, orientation: .up) }
  }

  private func makeIndicator() -> UIActivityIndicatorView {
    let indicator = UIActivityIndicatorView(style: .medium)
    indicator.frame = bounds
    indicator.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    addSubview(indicator)
    return indicator
  }
}
#endif
