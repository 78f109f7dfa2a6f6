#if Images && !canImport(Darwin)
import CPNG

/// Decodes PNG with libpng: each row is reduced as it is read, unless the picture is interlaced.
///
/// All depths are converted to 8 bits, and the file's gamma is applied. Of an animated PNG, the default
/// image is decoded.
struct PNGCodec {
  let bytes: [UInt8]
  let metadata: PictureMetadata
  let plan: DecodingPlan

  func picture() throws(ImageError) -> Picture {
    // libpng keeps the address of the bytes until the picture is read.
    let result = bytes.withUnsafeBufferPointer { bytes -> Result<Picture, ImageError> in
      do throws(ImageError) {
        return .success(try read(bytes))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  private func read(_ bytes: UnsafeBufferPointer<UInt8>) throws(ImageError) -> Picture {
    // libpng identifies the file by its address.
    let file = UnsafeMutablePointer<freshet_png>.allocate(capacity: 1)
    file.initialize(to: freshet_png())
    defer {
      freshet_png_end(file)
      file.deallocate()
    }
    let hasProfile: Int32 = metadata.profile == nil ? 0 : 1
    guard freshet_png_begin(file, bytes.baseAddress, bytes.count, hasProfile) != 0 else {
      throw Self.failure(file)
    }
    let size = PixelSize(width: Int(file.pointee.width), height: Int(file.pointee.height))
    let finishing = try plan.finishing(size, metadata)
    let isWhole = file.pointee.is_interlaced != 0
    // The library holds two rows of at most eight bytes per pixel.
    let perRow = size.width * (isWhole ? 16 : 20)
    let held = isWhole ? size : PixelSize(width: 0, height: 0)
    try plan.limits.check(memory: finishing.cost(of: held) + perRow)
    let bitmap = isWhole ? try whole(file, finishing) : try rows(file, finishing)
    return Picture(Picture.Frame(bitmap), sourceSize: finishing.sourceSize)
  }

  private func whole(
    _ file: UnsafeMutablePointer<freshet_png>,
    _ finishing: Finishing
  ) throws(ImageError) -> Bitmap {
    let isOpaque = file.pointee.has_alpha == 0
    let raster = try Raster(finishing.stored, isOpaque: isOpaque) { pixels throws(ImageError) in
      guard freshet_png_whole(file, pixels.baseAddress) != 0 else { throw Self.failure(file) }
    }
    return finishing.bitmap(raster)
  }

  /// A row buffer, and the finisher that its rows go to.
  private struct Reading {
    let row: UnsafeMutableBufferPointer<UInt8>
    var finisher: RowFinisher
  }

  private func rows(
    _ file: UnsafeMutablePointer<freshet_png>,
    _ finishing: Finishing
  ) throws(ImageError) -> Bitmap {
    let row = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: finishing.stored.width * 4)
    row.initialize(repeating: 0)
    defer { row.deallocate() }
    var reading = Reading(
      row: row,
      finisher: RowFinisher(
        finishing,
        from: finishing.stored,
        isOpaque: file.pointee.has_alpha == 0
      )
    )
    let status = withUnsafeMutablePointer(to: &reading) { reading in
      freshet_png_rows(file, row.baseAddress, reading) { context in
        guard let reading = context?.assumingMemoryBound(to: Reading.self) else { return }
        reading.pointee.finisher.add(reading.pointee.row)
      }
    }
    guard status != 0 else { throw Self.failure(file) }
    return reading.finisher.bitmap()
  }

  private static func failure(_ file: UnsafeMutablePointer<freshet_png>) -> ImageError {
    let message = withUnsafeBytes(of: file.pointee.message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return .damaged(message.isEmpty ? "libpng did not start" : message)
  }
}
#endif
