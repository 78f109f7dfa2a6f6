/// The box that a picture is to fill on the screen, so that no more of it is decoded than is seen.
public struct ImageTarget: Sendable, Hashable {
  /// How a picture is brought into a box of another shape.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The whole picture is inside of the box.
    case fit
    /// The whole box is covered; nothing is cut off here, the view does that.
    case fill
  }

  /// The box's width in points.
  public var width: Double
  /// The box's height in points.
  public var height: Double
  /// The pixels of a point.
  public var scale: Double
  /// How the picture is brought into the box.
  public var mode: Mode

  /// Makes a target.
  ///
  /// - Parameters:
  ///   - width: The box's width in points.
  ///   - height: The box's height in points.
  ///   - scale: The pixels of a point, such as 2; 1 by default.
  ///   - mode: How the picture is brought into the box; ``Mode/fit`` by default.
  public init(width: Double, height: Double, scale: Double = 1, mode: Mode = .fit) {
    self.width = width
    self.height = height
    self.scale = scale
    self.mode = mode
  }

  /// The size that a picture is reduced to: its own shape, never larger than it is, at least one pixel
  /// a side.
  ///
  /// A box without a positive, finite size reduces nothing.
  ///
  /// - Parameter source: The picture's size.
  /// - Returns: The size to decode to.
  public func pixelSize(for source: PixelSize) -> PixelSize {
    let box = (width: width * scale, height: height * scale)
    guard source.count > 0, box.width > 0, box.height > 0, box.width.isFinite, box.height.isFinite
    else { return source }
    let horizontal = box.width / Double(source.width)
    let vertical = box.height / Double(source.height)
    let factor = mode == .fit ? min(horizontal, vertical) : max(horizontal, vertical)
    guard factor < 1 else { return source }
    return PixelSize(
      width: max(1, Int((Double(source.width) * factor).rounded())),
      height: max(1, Int((Double(source.height) * factor).rounded()))
    )
  }
}
