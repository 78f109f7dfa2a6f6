#if Images && !canImport(Darwin)
import CGIF

/// The canvas on which the frames of a GIF are drawn.
struct GIFCanvas {
  private(set) var raster: Raster
  private var saved: Raster?

  init(_ size: PixelSize) {
    raster = Raster(size, [UInt8](repeating: 0, count: size.count * 4), isOpaque: false)
  }

  /// The position of a frame, which may extend beyond the canvas.
  struct Place {
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
    _ place: Place,
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

  mutating func clear(_ place: Place) {
    let columns = (place.left..<place.left + place.size.width).clamped(to: 0..<raster.size.width)
    let rows = (place.top..<place.top + place.size.height).clamped(to: 0..<raster.size.height)
    for y in rows {
      let start = y * raster.size.width * 4
      for place in start + columns.lowerBound * 4..<start + columns.upperBound * 4 {
        raster.bytes[place] = 0
      }
    }
  }

  mutating func save() {
    saved = raster
  }

  mutating func restore() {
    if let saved { raster = saved }
    saved = nil
  }
}
#endif
