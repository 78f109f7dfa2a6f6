/// The pixels between a codec and a ``Bitmap``: red, green, blue and alpha, a byte each.
struct Raster {
  var size: PixelSize
  var bytes: [UInt8]
  /// A Boolean value that indicates whether every alpha is 255.
  var isOpaque: Bool

  /// Creates a raster whose bytes a codec writes.
  init(
    _ size: PixelSize,
    isOpaque: Bool,
    write: (UnsafeMutableBufferPointer<UInt8>) throws(ImageError) -> Void
  ) throws(ImageError) {
    self.size = size
    self.isOpaque = isOpaque
    let count = size.count * 4
    var result: Result<Void, ImageError> = .success(())
    bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      // The parts that a codec omits of a damaged picture must not show earlier contents of the memory.
      buffer.initialize(repeating: 0)
      result = Result { () throws(ImageError) in try write(buffer) }
      initialized = count
    }
    try result.get()
  }

  init(_ size: PixelSize, _ bytes: [UInt8], isOpaque: Bool) {
    self.size = size
    self.bytes = bytes
    self.isOpaque = isOpaque
  }
}

extension Raster {
  /// Multiplies the colours by their alpha.
  static func premultiply(_ pixels: UnsafeMutableBufferPointer<UInt8>) {
    for start in stride(from: 0, to: pixels.count, by: 4) {
      let alpha = UInt32(pixels[start + 3])
      guard alpha < 255 else { continue }
      for channel in start..<start + 3 {
        pixels[channel] = UInt8((UInt32(pixels[channel]) * alpha + 127) / 255)
      }
    }
  }
}
