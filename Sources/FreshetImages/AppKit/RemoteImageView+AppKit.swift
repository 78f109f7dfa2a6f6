#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit

/// An `NSImageView` that shows the image at a URL.
///
/// ``ImagePresenter`` makes all decisions.
///
/// ```swift
/// cell.picture.show(ImageRequest(url), with: loader)
/// cell.picture.show(nil, with: loader)      // in prepareForReuse()
/// ```
public final class RemoteImageView: NSImageView, ImageSurface {
  /// The image to show while there is no picture; none by default.
  public var placeholder: NSImage? { didSet { redrawIfEmpty() } }
  /// The image to show after a failure; the placeholder by default.
  public var failure: NSImage? { didSet { redrawIfEmpty() } }
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
  ///   - transition: The transition to it; see ``ImageTransition`` for the ones that AppKit supports.
  public func display(_ content: ImageContent, transition: ImageTransition) {
    self.content = content
    if let (type, subtype) = transition.onAppKit {
      wantsLayer = true
      let movement = CATransition()
      movement.type = type
      movement.subtype = subtype
      movement.duration = transitionDuration
      layer?.add(movement, forKey: kCATransition)
    }
    redraw()
  }

  /// Starts or stops the activity indicator.
  public func showActivity(_ isActive: Bool) {
    if isActive { indicator.startAnimation(nil) } else { indicator.stopAnimation(nil) }
  }

  func draw(_ bitmap: Bitmap) {
    let size = NSSize(
      width: Double(bitmap.size.width) / scale,
      height: Double(bitmap.size.height) / scale
    )
    image = bitmap.cgImage.map { NSImage(cgImage: $0, size: size) }
  }

  private func makeIndicator() -> NSProgressIndicator {
    let indicator = NSProgressIndicator(frame: bounds)
    indicator.style = .spinning
    indicator.isDisplayedWhenStopped = false
    indicator.autoresizingMask = [.width, .height]
    addSubview(indicator)
    return indicator
  }
}

extension ImageTransition {
  /// The nearest transition of layers; `nil` for none.
  var onAppKit: (CATransitionType, CATransitionSubtype?)? {
    switch self {
    case .none: nil
    case .crossFade, .scale, .perspective, .ripple, .pulse: (.fade, nil)
    case .slide(let edge): (.moveIn, edge.onLayers)
    case .flip(let edge), .cube(let edge): (.push, edge.onLayers)
    }
  }
}

extension ImageEdge {
  /// The layers of AppKit have their origin at the bottom left.
  fileprivate var onLayers: CATransitionSubtype {
    switch self {
    case .top: .fromTop
    case .left: .fromLeft
    case .bottom: .fromBottom
    case .right: .fromRight
    }
  }
}
#endif
