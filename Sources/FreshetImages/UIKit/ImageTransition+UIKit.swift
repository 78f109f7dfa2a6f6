#if canImport(UIKit) && !os(watchOS)
import UIKit

extension ImageTransition {
  /// A transition that UIKit provides.
  enum OnUIKit {
    case view(UIView.AnimationOptions)
    case layer(CATransitionType, CATransitionSubtype?)
  }

  /// The nearest transition of UIKit; `nil` for none.
  var onUIKit: OnUIKit? {
    switch self {
    case .none: nil
    case .crossFade, .scale, .perspective, .ripple, .pulse: .view(.transitionCrossDissolve)
    case .flip(from: .right): .view(.transitionFlipFromRight)
    case .flip: .view(.transitionFlipFromLeft)
    case .slide(let edge): .layer(.moveIn, edge.onLayers)
    case .cube(let edge): .layer(.push, edge.onLayers)
    }
  }
}

extension ImageEdge {
  /// The layers of UIKit have their origin at the top left.
  fileprivate var onLayers: CATransitionSubtype {
    switch self {
    case .top: .fromBottom
    case .left: .fromLeft
    case .bottom: .fromTop
    case .right: .fromRight
    }
  }
}
#endif
