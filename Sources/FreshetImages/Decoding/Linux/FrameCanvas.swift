#if Images && !canImport(Darwin)
/// The canvas on which the frames of an animation are drawn, one over the other.
struct FrameCanvas {
  var raster: Raster
  /// The canvas before a frame that is to be taken back.
  private var saved: Raster?

  init(_ size: PixelSize) {
    raster = Raster(size, [UInt8](repeating: 0, count: size.count * 4), isOpaque: false)
  }

  mutating func save() {
    saved = raster
  }

  mutating func restore() {
    if let saved { raster = saved }
    saved = nil
  }

  /// Makes the place of a frame transparent, which may extend beyond the canvas.
  mutating func clear(left: Int, top: Int, size: PixelSize) {
    let columns = (left..<left + size.width).clamped(to: 0..<raster.size.width)
    let rows = (top..<top + size.height).clamped(to: 0..<raster.size.height)
    for y in rows {
      let start = y * raster.size.width * 4
      for place in start + columns.lowerBound * 4..<start + columns.upperBound * 4 {
        raster.bytes[place] = 0
      }
    }
  }
}
#endif
