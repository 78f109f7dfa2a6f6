#if Images && !canImport(Darwin)
/// The last steps for the pixels of every format: colours, size and orientation.
struct Finishing {
  let stored: PixelSize
  let metadata: PictureMetadata
  /// The conversion of the colours to sRGB, if they are others.
  let colors: ColorConversion?
  let plan: DecodingPlan

  /// The upright size of the picture in the file.
  var sourceSize: PixelSize { metadata.orientation.upright(stored) }

  /// The size of the result, in the stored orientation.
  var wanted: PixelSize {
    guard let target = plan.target else { return stored }
    return metadata.orientation.upright(target.pixelSize(for: sourceSize))
  }

  /// Returns the memory for finishing a raster: the raster, a row, the reduced picture and the upright one.
  func cost(of raster: PixelSize) -> Int {
    (raster.count + stored.width + 2 * wanted.count) * 4
  }

  /// Finishes a raster, which is not changed.
  func bitmap(_ raster: borrowing Raster) -> Bitmap {
    var finisher = RowFinisher(self, from: raster.size, isOpaque: raster.isOpaque)
    let length = raster.size.width * 4
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { row in
      raster.bytes.withUnsafeBufferPointer { bytes in
        for y in 0..<raster.size.height {
          let source = UnsafeBufferPointer(rebasing: bytes[y * length..<(y + 1) * length])
          _ = row.update(fromContentsOf: source)
          finisher.add(row)
        }
      }
    }
    return finisher.bitmap()
  }
}
#endif
