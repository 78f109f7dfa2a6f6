#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// A `UIImageView` that shows what is at a URL.
///
/// All decisions are those of ``ImagePresenter``.
///
/// ```swift
/// cell.picture.show(ImageRequest(url), with: loader)
/// cell.picture.show(nil, with: loader)      // in prepareForReuse()
/// ```
public final class RemoteImageView: UIImageView, ImageSurface {
  /// What is shown while there is no picture; nothing by default.
  public var placeholder: UIImage? { didSet { redraw() } }
  /// What is shown after a failure; the placeholder by default.
  public var failure: UIImage? { didSet { redraw() } }
  /// How loads show themselves; as the loader is configured, by default.
  public var options: ImageOptions?
  /// How long transitions take, in seconds; 0.3 by default.
  public var transitionDuration = 0.3
  /// Takes what a load has come to; nothing by default.
  public var onCompletion: (ImageReport) -> Void = { _ in }
  /// What runs the loads, since the first of them.
  public private(set) var presenter: ImagePresenter?

  private lazy var indicator = makeIndicator()
  private var content = ImageContent.placeholder
  private let player = FramePlayer()

  /// Shows what a request describes, or the placeholder for `nil`.
  ///
  /// - Parameters:
  ///   - request: What to show.
  ///   - loader: What loads it.
  public func show(_ request: ImageRequest?, with loader: ImageLoader) {
    let presenter = self.presenter ?? ImagePresenter(loader: loader, surface: self)
    presenter.loader = loader
    presenter.options = options ?? loader.configuration.options
    self.presenter = presenter
    presenter.show(request)
  }

  /// Gives the load up when the view leaves its window for good.
  public override func removeFromSuperview() {
    presenter?.disappear()
    super.removeFromSuperview()
  }

  /// Puts something on the screen.
  ///
  /// - Parameters:
  ///   - content: What to show.
  ///   - transition: How it takes the place; see ``ImageTransition`` for what UIKit has.
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

  /// Hands the report on.
  public func complete(_ report: ImageReport) {
    onCompletion(report)
  }

  private func redraw() {
    player.stop()
    switch content {
    case .placeholder: image = placeholder
    case .failure: image = failure ?? placeholder
    case .arriving(let picture): draw(picture.bitmap)
    case .picture(let loaded): player.play(loaded.picture) { [weak self] in self?.draw($0) }
    }
  }

  private func draw(_ bitmap: Bitmap) {
    image = bitmap.cgImage.map { UIImage(cgImage: $0) }
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
