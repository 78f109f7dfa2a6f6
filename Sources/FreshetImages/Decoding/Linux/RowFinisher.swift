#if Images && !canImport(Darwin)
/// Creates a bitmap from the rows of a picture, added from the top.
///
/// The colours are converted to sRGB and premultiplied, the picture is reduced to the wanted size, and
/// turned upright. Only the reduced picture and one row are in memory, never the whole source.
struct RowFinisher {
  private let finishing: Finishing
  private let isOpaque: Bool
  private var reduction: Reduction

  init(_ finishing: Finishing, from source: PixelSize, isOpaque: Bool) {
    self.finishing = finishing
    self.isOpaque = isOpaque
    reduction = Reduction(from: source, to: finishing.wanted)
  }

  /// Adds the next row, which is modified in place.
  mutating func add(_ row: UnsafeMutableBufferPointer<UInt8>) {
    finishing.colors?.convert(row)
    if !isOpaque { Raster.premultiply(row) }
    reduction.add(UnsafeBufferPointer(row))
  }

  mutating func bitmap() -> Bitmap {
    Bitmap(trusted: reduction.target, reduction.finish()).oriented(finishing.metadata.orientation)
  }
}
#endif
