// swift-format-ignore-file
// The interface of AppKit that the sources use, without a body: for the type checker on Linux.
@_exported import QuartzCore

public final class NSImage {
  public init(cgImage: CGImage, size: NSSize) {}
}

@MainActor
open class NSView {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let width = AutoresizingMask(rawValue: 1)
    public static let height = AutoresizingMask(rawValue: 2)
  }
  public init(frame: NSRect) {}
  open var frame = NSRect.zero
  open var bounds = NSRect.zero
  open var layer: CALayer?
  open var wantsLayer = false
  open var autoresizingMask: AutoresizingMask = []
  open func addSubview(_ view: NSView) {}
  open func removeFromSuperview() {}
}

open class NSImageView: NSView {
  open var image: NSImage?
}

open class NSProgressIndicator: NSView {
  public enum Style { case spinning }
  open var style = Style.spinning
  open var isDisplayedWhenStopped = true
  open func startAnimation(_ sender: Any?) {}
  open func stopAnimation(_ sender: Any?) {}
}
