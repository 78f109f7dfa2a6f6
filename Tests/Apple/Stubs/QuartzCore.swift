// swift-format-ignore-file
// The interface of Core Animation that the sources use, without a body: for the type checker on Linux.
@_exported import CoreGraphics

public struct CATransitionType: Sendable {
  public static let fade = CATransitionType()
  public static let moveIn = CATransitionType()
  public static let push = CATransitionType()
}

public struct CATransitionSubtype: Sendable {
  public static let fromTop = CATransitionSubtype()
  public static let fromLeft = CATransitionSubtype()
  public static let fromBottom = CATransitionSubtype()
  public static let fromRight = CATransitionSubtype()
}

public class CAAnimation {
  public init() {}
  public var duration: TimeInterval = 0
}

public final class CATransition: CAAnimation {
  public var type = CATransitionType.fade
  public var subtype: CATransitionSubtype?
}

public let kCATransition = ""

open class CALayer {
  public init() {}
  open func add(_ animation: CAAnimation, forKey key: String?) {}
}
