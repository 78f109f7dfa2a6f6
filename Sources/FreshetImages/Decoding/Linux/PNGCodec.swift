#if Images && os(Linux)
import CPNG

/// PNG by libpng's simplified interface, which ends each failure inside of the library.
///
/// It brings every depth to 8 bits and applies the file's gamma. Of an animated PNG it reads the
/// picture that stands for it.
struct PNGCodec {
  let bytes: [UInt8]
  let metadata: PictureMetadata
  let plan: DecodingPlan

  init(_ bytes: [UInt8], _ metadata: PictureMetadata, _ plan: DecodingPlan) {
    self.bytes = bytes
    self.metadata = metadata
    self.plan = plan
  }

  func picture() throws(ImageError) -> Picture {
    var image = png_image()
    image.version = png_uint_32(PNG_IMAGE_VERSION)
    defer { png_image_free(&image) }
    // libpng keeps the address until the picture is read.
    let result = bytes.withUnsafeBufferPointer { bytes -> Result<Picture, ImageError> in
      do throws(ImageError) {
        return .success(try read(bytes, &image))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func read(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ image: inout png_image
  ) throws(ImageError) -> Picture {
    guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0 else {
      throw .damaged(Self.message(image))
    }
    let size = PixelSize(width: Int(image.width), height: Int(image.height))
    let finishing = try plan.finishing(size, metadata)
    try plan.limits.check(memory: finishing.cost(of: size))
    let isOpaque = image.format & png_uint_32(PNG_FORMAT_FLAG_ALPHA) == 0
    image.format = png_uint_32(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)
    image.flags |= png_uint_32(PNG_IMAGE_FLAG_16BIT_sRGB)
    let raster = try Raster(size, isOpaque: isOpaque) { pixels throws(ImageError) in
      guard png_image_finish_read(&image, nil, pixels.baseAddress, 0, nil) != 0 else {
        throw .damaged(Self.message(image))
      }
    }
    return Picture(
      Picture.Frame(try finishing.bitmap(raster)),
      sourceSize: finishing.sourceSize
    )
  }

  private static func message(_ image: png_image) -> String {
    withUnsafeBytes(of: image.message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
#endif
