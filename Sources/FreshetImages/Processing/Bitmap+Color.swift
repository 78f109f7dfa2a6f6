extension Bitmap {
  /// Returns the bitmap with a colour applied to it.
  func tinted(_ color: PictureColor, _ tint: ImageProcessor.Tint) -> Bitmap {
    let wanted = color.premultiplied
    switch tint {
    case .stencil:
      return recolored { _, pixel in wanted * (pixel.w / 255) }
    case .multiply:
      let opacity = Float(color.alpha) / 255
      // The light that passes: all of it where the colour is transparent, and always all of the alpha.
      let light = (wanted / 255) + (1 - opacity)
      return recolored { _, pixel in pixel * light }
    case .overlay:
      return covered(by: Gradient([color], from: .top))
    }
  }

  /// Returns the bitmap below a gradient, which covers what the bitmap covers.
  func covered(by gradient: Gradient) -> Bitmap {
    guard !gradient.isEmpty else { return self }
    let isVertical = gradient.isVertical
    let colors = gradient.colors(isVertical ? size.height : size.width)
    return recolored { place, pixel in
      let color = colors[isVertical ? place / size.width : place % size.width]
      return color * (pixel.w / 255) + pixel * (1 - color.w / 255)
    }
  }

  /// Returns the bitmap with each pixel replaced, by its place and its premultiplied components.
  private func recolored(_ change: (Int, SIMD4<Float>) -> SIMD4<Float>) -> Bitmap {
    rewritten(size) { source, target in
      for place in 0..<size.count {
        let start = place * 4
        let pixel = SIMD4(
          Float(source[start]),
          Float(source[start + 1]),
          Float(source[start + 2]),
          Float(source[start + 3])
        )
        let value = change(place, pixel).rounded(.toNearestOrAwayFromZero)
        let alpha = min(max(value.w, 0), 255)
        // No colour may be more than the alpha.
        for channel in 0..<3 { target[start + channel] = UInt8(min(max(value[channel], 0), alpha)) }
        target[start + 3] = UInt8(alpha)
      }
    }
  }
}

/// Colours at equal distances from one edge to the opposite one.
struct Gradient: Sendable {
  private let stops: [SIMD4<Float>]
  let isVertical: Bool

  init(_ colors: [PictureColor], from edge: ImageEdge) {
    let stops = colors.map(\.premultiplied)
    self.stops = edge == .top || edge == .left ? stops : stops.reversed()
    isVertical = edge == .top || edge == .bottom
  }

  var isEmpty: Bool { stops.isEmpty }

  /// Returns the premultiplied colours in the middle of each of so many lines.
  func colors(_ count: Int) -> [SIMD4<Float>] {
    (0..<count)
      .map { line in
        let place = (Float(line) + 0.5) / Float(count) * Float(stops.count - 1)
        let index = min(Int(place), max(0, stops.count - 2))
        guard index + 1 < stops.count else { return stops[index] }
        let share = place - Float(index)
        return stops[index] * (1 - share) + stops[index + 1] * share
      }
  }
}
