/// Decoded pixels: upright, in sRGB, four bytes each.
///
/// A pixel is red, green, blue and alpha, with the colours premultiplied by the alpha; rows follow
/// each other without a gap, the topmost first.
public struct Bitmap: Sendable, Hashable {
  /// The size.
  public let size: PixelSize
  /// The bytes, 4 × width × height of them.
  public let pixels: [UInt8]

  /// Makes a bitmap; `nil` unless there are exactly 4 × width × height bytes, and at least 4.
  ///
  /// - Parameters:
  ///   - size: The size.
  ///   - pixels: The bytes, premultiplied.
  public init?(size: PixelSize, pixels: [UInt8]) {
    guard size.count > 0, size.count <= Int.max / 4, pixels.count == size.count * 4 else {
      return nil
    }
    self.size = size
    self.pixels = pixels
  }

  /// For code that has made the right number of bytes.
  init(trusted size: PixelSize, _ pixels: [UInt8]) {
    assert(pixels.count == size.count * 4)
    self.size = size
    self.pixels = pixels
  }

  /// The red, green, blue and alpha of a pixel, or `nil` outside of the bitmap.
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
  /// The size, as in `640×480`.
  public var description: String { "\(size)" }
}
