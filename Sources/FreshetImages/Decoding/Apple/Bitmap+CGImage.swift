#if canImport(CoreGraphics)
public import CoreGraphics

extension Bitmap {
  /// The pixels as an image of Core Graphics, copied; `nil` only if there is not enough memory.
  public var cgImage: CGImage? {
    guard let context = Self.context(size) else { return nil }
    pixels.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      context.data?.copyMemory(from: start, byteCount: source.count)
    }
    return context.makeImage()
  }

  /// Draws an image with any colour space and layout as a bitmap of its size.
  init?(_ image: CGImage) {
    let size = PixelSize(width: image.width, height: image.height)
    guard let context = Self.context(size) else { return nil }
    context.draw(image, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
    guard let start = context.data else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start, count: size.count * 4)
    self.init(size: size, pixels: Array(bytes))
  }

  /// Creates a cleared context with the layout of a bitmap.
  private static func context(_ size: PixelSize) -> CGContext? {
    guard let space = CGColorSpace(name: CGColorSpace.sRGB) else { return nil }
    return CGContext(
      data: nil,
      width: size.width,
      height: size.height,
      bitsPerComponent: 8,
      bytesPerRow: size.width * 4,
      space: space,
      bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue
    )
  }
}
#endif
