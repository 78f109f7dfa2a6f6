// swift-format-ignore-file
// The interface of UIKit that the sources use, without a body: for the type checker on Linux.
@_exported import QuartzCore

public final class UIImage: Sendable {
  public enum Orientation: Int, Sendable {
    case up
  }
  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {}
}

@MainActor
open class UIView {
  public init() {}
  public struct AnimationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let transitionCrossDissolve = AnimationOptions(rawValue: 1)
    public static let transitionFlipFromLeft = AnimationOptions(rawValue: 2)
    public static let transitionFlipFromRight = AnimationOptions(rawValue: 4)
  }
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let flexibleWidth = AutoresizingMask(rawValue: 1)
    public static let flexibleHeight = AutoresizingMask(rawValue: 2)
  }
  public class func transition(
    with view: UIView,
    duration: TimeInterval,
    options: AnimationOptions = [],
    animations: (() -> Void)?,
    completion: ((Bool) -> Void)? = nil
  ) {}
  open var frame = CGRect.zero
  open var bounds = CGRect.zero
  open var layer: CALayer { CALayer() }
  open var autoresizingMask: AutoresizingMask = []
  open func addSubview(_ view: UIView) {}
  open func removeFromSuperview() {}
}

open class UIImageView: UIView {
  open var image: UIImage?
}

open class UIActivityIndicatorView: UIView {
  public enum Style { case medium }
  public init(style: Style) { super.init() }
  open func startAnimating() {}
  open func stopAnimating() {}
}
