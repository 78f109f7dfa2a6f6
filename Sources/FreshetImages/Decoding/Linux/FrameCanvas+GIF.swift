#if Images && !canImport(Darwin)
import CGIF

/// The frames of a GIF.
extension FrameCanvas {
  /// The position of a frame, which may extend beyond the canvas.
  struct GIFPlace {
    let left: Int
    let top: Int
    let size: PixelSize
    let isInterlaced: Bool

    init(_ image: GifImageDesc) {
      left = Int(image.Left)
      top = Int(image.Top)
      size = PixelSize(width: Int(image.Width), height: Int(image.Height))
      isInterlaced = image.Interlace
    }

    /// The indices of the rows in the order of the file.
    var rows: [Int] {
      guard isInterlaced else { return Array(0..<size.height) }
      return [(0, 8), (4, 8), (2, 4), (1, 2)]
        .flatMap { start, step in
          Array(stride(from: start, to: size.height, by: step))
        }
    }
  }

  mutating func draw(
    _ line: [UInt8],
    _ place: GIFPlace,
    row: Int,
    _ map: ColorMapObject,
    transparent: Int32
  ) {
    let y = place.top + row
    guard 0..<raster.size.height ~= y, let colors = map.Colors else { return }
    for (offset, index) in line.enumerated() {
      let x = place.left + offset
      guard x < raster.size.width, Int32(index) != transparent, index < map.ColorCount else {
        continue
      }
      let color = colors[Int(index)]
      let start = (y * raster.size.width + x) * 4
      raster.bytes[start] = color.Red
      raster.bytes[start + 1] = color.Green
      raster.bytes[start + 2] = color.Blue
      raster.bytes[start + 3] = 255
    }
  }
}
#endif
