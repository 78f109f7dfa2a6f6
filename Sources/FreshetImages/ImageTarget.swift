/// The box that a picture will fill on the screen, which limits the size that is decoded.
public struct ImageTarget: Sendable, Hashable {
  /// The way a picture is fitted to a box of another shape.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// The whole picture is inside the box.
    case fit
    /// The whole box is covered; the view crops the picture.
    case fill
  }

  /// The width of the box, in points.
  public var width: Double
  /// The height of the box, in points.
  public var height: Double
  /// The number of pixels per point.
  public var scale: Double
  /// The way the picture is fitted to the box.
  public var mode: Mode

  /// Creates a target.
  ///
  /// - Parameters:
  ///   - width: The width of the box, in points.
  ///   - height: The height of the box, in points.
  ///   - scale: The number of pixels per point, such as 2; 1 by default.
  ///   - mode: The way the picture is fitted to the box; ``Mode/fit`` by default.
  public init(width: Double, height: Double, scale: Double = 1, mode: Mode = .fit) {
    self.width = width
    self.height = height
    self.scale = scale
    self.mode = mode
  }

  /// The scale of pictures that were decoded for the target: 1 in place of one that is no scale.
  var pictureScale: Double { scale > 0 && scale.isFinite ? scale : 1 }

  /// Returns the size to which a picture is reduced.
  ///
  /// The size has the shape of the picture, is never larger than the picture, and has at least one
  /// pixel per side. A box without a positive, finite size does not reduce pictures.
  ///
  /// - Parameter source: The size of the picture.
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
