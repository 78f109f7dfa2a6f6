/// A step that changes a decoded picture: its size, its outline or its colours.
///
/// A request has a list of them, which are applied in order to each frame, after the picture was turned
/// upright. The result is cached by its list, see ``ImageRequest/processors``.
///
/// ```swift
/// let request = ImageRequest(url, processors: [.resized(width: 80, height: 80, .crop), .circle])
/// ```
///
/// - Lengths are in points: they are multiplied by the ``ImageTarget/scale`` of the request's target. A
///   request without a target has one pixel per point.
/// - Processors run off the main actor, with the decoder. Their memory counts against ``DecodingLimits``.
/// - The same code runs on all platforms, and gives the same pixels.
///
/// Two processors are equal if they have the same ``name``.
public struct ImageProcessor: Sendable {
  /// The operation with its values; for one's own, the name that was passed to ``custom(_:_:)``.
  public let name: String
  /// A Boolean value that indicates whether the processor is a custom one, which may have the name of another one.
  let isCustom: Bool
  /// The box of a resizing, in whole pixels per point, to which a decoder may reduce already.
  let target: ImageTarget?
  /// The number of bytes that it needs for a pixel beside the picture and the result.
  let bytesPerPixel: Int
  /// The number of bytes that it needs for a pixel of a row and of a column.
  let bytesPerLinePixel: Int
  private let body: @Sendable (Bitmap, Double) throws(ImageError) -> Bitmap

  init(
    _ name: String,
    isCustom: Bool = false,
    target: ImageTarget? = nil,
    bytesPerPixel: Int = 0,
    bytesPerLinePixel: Int = 0,
    _ body: @escaping @Sendable (Bitmap, Double) throws(ImageError) -> Bitmap
  ) {
    self.name = name
    self.isCustom = isCustom
    self.target = target
    self.bytesPerPixel = bytesPerPixel
    self.bytesPerLinePixel = bytesPerLinePixel
    self.body = body
  }

  /// Returns the number of bytes that it needs for a bitmap beside that and the result.
  func memory(for size: PixelSize) -> Int {
    size.count * bytesPerPixel + max(size.width, size.height) * bytesPerLinePixel
  }

  /// Returns a changed bitmap.
  ///
  /// - Parameters:
  ///   - bitmap: The bitmap, upright and premultiplied.
  ///   - scale: The number of pixels per point; 1 by default.
  /// - Returns: The result.
  /// - Throws: ``ImageError/processing(_:)`` if there would be no pixels, or the error of one's own
  ///   processor.
  public func apply(to bitmap: Bitmap, scale: Double = 1) throws(ImageError) -> Bitmap {
    try body(bitmap, scale > 0 && scale.isFinite ? scale : 1)
  }
}

extension ImageProcessor {
  /// The way a picture is brought to the size of a box of another shape.
  public enum Resizing: String, Sendable, Hashable, CaseIterable {
    /// The whole picture is inside the box.
    case fit
    /// The picture covers the box, and may be larger on one side.
    case fill
    /// The picture covers the box, and what is beyond it is cut off on both sides.
    case crop
  }

  /// The way a colour is applied to a picture.
  public enum Tint: String, Sendable, Hashable, CaseIterable {
    /// The picture is a stencil: only its alpha is kept.
    case stencil
    /// The colours are multiplied: white becomes the tint, and black stays.
    case multiply
    /// The colour is laid over the picture, and only what the picture covers.
    case overlay
  }
}

// MARK: - Size and outline

extension ImageProcessor {
  /// Reduces the picture to a box, in its own shape; it never becomes larger.
  ///
  /// As the first processor of a request without a target, it also lets the decoder reduce the picture,
  /// see ``ImageTarget``. A box without a positive, finite size changes nothing.
  ///
  /// - Parameters:
  ///   - width: The width of the box, in points.
  ///   - height: The height of the box, in points.
  ///   - resizing: The way the picture is brought to the box; ``Resizing/fit`` by default. A smaller
  ///     picture is only cut to the box's shape by ``Resizing/crop``.
  /// - Returns: The processor.
  public static func resized(
    width: Double,
    height: Double,
    _ resizing: Resizing = .fit
  ) -> ImageProcessor {
    let target = ImageTarget(
      width: width,
      height: height,
      mode: resizing == .fit ? .fit : .fill
    )
    return ImageProcessor(
      ".resized(\(width), \(height), .\(resizing.rawValue))",
      target: target.inWholePixels(scale: 1),
      bytesPerPixel: 1
    ) { bitmap, scale throws(ImageError) in
      guard let box = target.inWholePixels(scale: scale) else { return bitmap }
      let reduced = bitmap.reduced(to: box.pixelSize(for: bitmap.size))
      return resizing == .crop ? reduced.cropped(toShapeOf: box) : reduced
    }
  }

  /// Cuts a rectangle out of the picture.
  ///
  /// What of it is outside of the picture is left out. A rectangle that is completely outside, or empty,
  /// throws ``ImageError/processing(_:)``.
  ///
  /// - Parameters:
  ///   - x: The left edge, in points from the left.
  ///   - y: The upper edge, in points from the top.
  ///   - width: The width, in points; infinity up to the right edge.
  ///   - height: The height, in points; infinity up to the lower edge.
  /// - Returns: The processor.
  public static func cropped(
    x: Double,
    y: Double,
    width: Double,
    height: Double
  ) -> ImageProcessor {
    let name = ".cropped(\(x), \(y), \(width), \(height))"
    return ImageProcessor(name) { bitmap, scale throws(ImageError) in
      func range(_ start: Double, _ length: Double, _ side: Int) -> Range<Int>? {
        let (start, end) = (start * scale, (start + length) * scale)
        guard !start.isNaN, !end.isNaN else { return nil }
        let first = Int(min(max(start.rounded(), 0), Double(side)))
        let last = Int(min(max(end.rounded(), 0), Double(side)))
        return first < last ? first..<last : nil
      }
      guard let columns = range(x, width, bitmap.size.width),
        let rows = range(y, height, bitmap.size.height)
      else { throw .processing("\(name) is outside of its \(bitmap.size) pixels") }
      return bitmap.cropped(columns: columns, rows: rows)
    }
  }

  /// Rounds the corners.
  ///
  /// The outline is smooth: a pixel on it keeps the part of its alpha that it covers.
  ///
  /// - Parameter radius: The radius, in points; at most half of the shorter side counts.
  /// - Returns: The processor.
  public static func rounded(_ radius: Double) -> ImageProcessor {
    ImageProcessor(".rounded(\(radius))") { bitmap, scale throws(ImageError) in
      bitmap.rounded(radius * scale)
    }
  }

  /// Cuts the picture to the circle in its middle, which touches its longer edges.
  public static let circle = ImageProcessor(".circle") { bitmap, _ throws(ImageError) in
    let side = min(bitmap.size.width, bitmap.size.height)
    let (left, top) = ((bitmap.size.width - side) / 2, (bitmap.size.height - side) / 2)
    return bitmap.cropped(columns: left..<left + side, rows: top..<top + side)
      .rounded(Double(side) / 2)
  }
}

// MARK: - Colours

extension ImageProcessor {
  /// Applies a colour.
  ///
  /// - Parameters:
  ///   - color: The colour.
  ///   - tint: The way it is applied; ``Tint/stencil`` by default.
  /// - Returns: The processor.
  public static func tinted(_ color: PictureColor, _ tint: Tint = .stencil) -> ImageProcessor {
    ImageProcessor(".tinted(\(color), .\(tint.rawValue))") { bitmap, _ throws(ImageError) in
      bitmap.tinted(color, tint)
    }
  }

  /// Lays a linear gradient over the picture, and only over what the picture covers.
  ///
  /// - Parameters:
  ///   - colors: The colours at equal distances, the first one at the edge. One covers the whole
  ///     picture; without any, nothing changes.
  ///   - edge: The edge at which it begins; the upper one by default.
  /// - Returns: The processor.
  public static func gradient(
    _ colors: [PictureColor],
    from edge: ImageEdge = .top
  ) -> ImageProcessor {
    let list = colors.map(\.description).joined(separator: ", ")
    return ImageProcessor(".gradient([\(list)], from: .\(edge.rawValue))") {
      bitmap,
      _ throws(ImageError) in
      bitmap.covered(by: Gradient(colors, from: edge))
    }
  }

  /// Blurs the picture, as `blur()` of CSS does; the edges are continued outwards.
  ///
  /// - Parameter deviation: The standard deviation of the blur, in points; 0 or less changes nothing.
  /// - Returns: The processor.
  public static func blurred(_ deviation: Double) -> ImageProcessor {
    ImageProcessor(
      ".blurred(\(deviation))",
      bytesPerPixel: 8,
      bytesPerLinePixel: 3 * MemoryLayout<SIMD4<Float>>.size
    ) { bitmap, scale throws(ImageError) in
      bitmap.blurred(deviation * scale)
    }
  }
}

// MARK: - One's own

extension ImageProcessor {
  /// A processor of one's own.
  ///
  /// ```swift
  /// let inverted = ImageProcessor.custom("inverted") { bitmap in … }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name by which results are cached, perhaps on disk: with another behaviour or other
  ///     values it has another name.
  ///   - body: Returns the changed bitmap. It is called once for each frame, on several background
  ///     threads at the same time. All frames must have the same size afterwards.
  /// - Returns: The processor.
  public static func custom(
    _ name: String,
    _ body: @escaping @Sendable (Bitmap) throws(ImageError) -> Bitmap
  ) -> ImageProcessor {
    ImageProcessor(name, isCustom: true) { bitmap, _ throws(ImageError) in try body(bitmap) }
  }
}

extension ImageProcessor: Hashable {
  /// Returns whether both have the same name, and both or neither are one's own.
  public static func == (left: Self, right: Self) -> Bool {
    left.name == right.name && left.isCustom == right.isCustom
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(isCustom)
  }
}

extension ImageProcessor: CustomStringConvertible {
  /// The name.
  public var description: String { isCustom ? ".custom(\(name))" : name }
}

extension ImageTarget {
  /// Returns the box with sides of whole pixels, so that reducing a picture twice changes nothing; `nil`
  /// without a positive, finite size.
  fileprivate func inWholePixels(scale: Double) -> ImageTarget? {
    let (width, height) = (width * scale, height * scale)
    guard width > 0, height > 0, width.isFinite, height.isFinite else { return nil }
    return ImageTarget(
      width: max(1, width.rounded()),
      height: max(1, height.rounded()),
      mode: mode
    )
  }
}
