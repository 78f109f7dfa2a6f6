#if Images && os(Linux)
/// What happens to the pixels of every format: colours, size and orientation.
struct Finishing {
  let stored: PixelSize
  let metadata: PictureMetadata
  let plan: DecodingPlan

  /// The size in the file, upright.
  var sourceSize: PixelSize { metadata.orientation.upright(stored) }

  /// The size of the result, as it is stored.
  var wanted: PixelSize {
    guard let target = plan.target else { return stored }
    return metadata.orientation.upright(target.pixelSize(for: sourceSize))
  }

  /// What is allocated beside a raster of some size: the reduced one and the upright one.
  func cost(of raster: PixelSize) -> Int {
    (raster.count + 2 * wanted.count) * 4
  }

  func bitmap(_ raster: consuming Raster) throws(ImageError) -> Bitmap {
    if let profile = metadata.profile { raster.convertToSRGB(from: profile) }
    raster.premultiply()
    let reduced = Reduction(from: raster.size, to: wanted).reduce(raster)
    let upright = reduced.oriented(metadata.orientation)
    return Bitmap(trusted: upright.size, upright.bytes)
  }
}
#endif
