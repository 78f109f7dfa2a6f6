/// Decoded pixels: upright, in sRGB, with four bytes each.
///
/// A pixel is red, green, blue and alpha, with the colours premultiplied by the alpha. Rows follow each
/// other without padding, the topmost first.
public struct Bitmap: Sendable, Hashable {
  /// The size in pixels.
  public let size: PixelSize
  /// The bytes of the pixels, 4 × width × height of them.
  public let pixels: [UInt8]

  /// Creates a bitmap; `nil` unless there are exactly 4 × width × height bytes, and at least 4.
  ///
  /// - Parameters:
  ///   - size: The size in pixels.
  ///   - pixels: The bytes of the pixels, with premultiplied colours.
  public init?(size: PixelSize, pixels: [UInt8]) {
    guard size.count > 0, size.count <= Int.max / 4, pixels.count == size.count * 4 else {
      return nil
    }
    self.size = size
    self.pixels = pixels
  }

  /// Creates a bitmap from pixels whose number is known to be correct.
  init(trusted size: PixelSize, _ pixels: [UInt8]) {
    assert(pixels.count == size.count * 4)
    self.size = size
    self.pixels = pixels
  }

  /// Returns the red, green, blue and alpha of a pixel; `nil` outside the bitmap.
  ///
  /// - Parameters:
  ///   - x: The column, from the left.
  ///   - y: The row, from the top.
  public subscript(x: Int, y: Int) -> SIMD4<UInt8>? {
    guard 0..<size.width ~= x, 0..<size.height ~= y else { return nil }
    let start = (y * size.width + x) * 4
    return SIMD4(pixels[start], pixels[start + 1], pixels[start + 2], pixels[start + 3])
  }
}

extension Bitmap: CustomStringConvertible {
  /// The size, such as `640×480`.
  public var description: String { "\(size)" }
}
