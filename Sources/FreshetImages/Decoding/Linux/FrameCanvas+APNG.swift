#if Images && !canImport(Darwin)
/// The frames of an animated PNG, with colours that are not multiplied.
extension FrameCanvas {
  mutating func draw(_ pixels: Raster, _ frame: APNGFile.Frame) {
    if frame.disposal == .restore { save() }
    let (width, length) = (raster.size.width, frame.size.width * 4)
    raster.bytes.withUnsafeMutableBufferPointer { target in
      pixels.bytes.withUnsafeBufferPointer { source in
        for row in 0..<frame.size.height {
          let start = ((frame.top + row) * width + frame.left) * 4
          let target = UnsafeMutableBufferPointer(rebasing: target[start..<start + length])
          let source = UnsafeBufferPointer(
            rebasing: source[row * length..<(row + 1) * length]
          )
          switch frame.blending {
          case .replace: _ = target.update(fromContentsOf: source)
          case .over: Self.blend(source, over: target)
          }
        }
      }
    }
  }

  mutating func dispose(_ frame: APNGFile.Frame) {
    switch frame.disposal {
    case .keep: break
    case .clear: clear(left: frame.left, top: frame.top, size: frame.size)
    case .restore: restore()
    }
  }

  /// Draws a row over another one, as *PNG* defines `APNG_BLEND_OP_OVER`.
  private static func blend(
    _ source: UnsafeBufferPointer<UInt8>,
    over target: UnsafeMutableBufferPointer<UInt8>
  ) {
    for start in stride(from: 0, to: source.count, by: 4) {
      let alpha = UInt32(source[start + 3])
      guard alpha > 0 else { continue }
      // What is still seen of the pixel below, and the sum of both, times 255.
      let below = UInt32(target[start + 3]) * (255 - alpha)
      let sum = alpha * 255 + below
      for channel in start..<start + 3 {
        let mixed = UInt32(source[channel]) * alpha * 255 + UInt32(target[channel]) * below
        target[channel] = UInt8((mixed + sum / 2) / sum)
      }
      target[start + 3] = UInt8((sum + 127) / 255)
    }
  }
}
#endif
