#if Images && os(Linux)
/// Takes the rows of a picture from the top and makes a bitmap of them: colours brought to sRGB and
/// multiplied by their alpha, reduced to what is wanted, and turned upright.
///
/// It holds the reduced picture and a row, never the whole source.
struct RowFinisher {
  private let metadata: PictureMetadata
  private let isOpaque: Bool
  private let conversion: ColorConversion?
  private var reduction: Reduction

  init(_ finishing: Finishing, from source: PixelSize, isOpaque: Bool) {
    metadata = finishing.metadata
    self.isOpaque = isOpaque
    conversion = metadata.profile.flatMap(ColorConversion.init)
    reduction = Reduction(from: source, to: finishing.wanted)
  }

  /// Takes the next row, which is changed in its place.
  mutating func add(_ row: UnsafeMutableBufferPointer<UInt8>) {
    conversion?.convert(row)
    if !isOpaque { Raster.premultiply(row) }
    reduction.add(UnsafeBufferPointer(row))
  }

  mutating func bitmap() -> Bitmap {
    let reduced = Raster(reduction.target, reduction.finish(), isOpaque: isOpaque)
    let upright = reduced.oriented(metadata.orientation)
    return Bitmap(trusted: upright.size, upright.bytes)
  }
}
#endif
