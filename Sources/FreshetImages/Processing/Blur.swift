import FreshetEssentials

/// Blurs lines of pixels by a Gaussian function, whose weights sum to 1.
///
/// A deviation of 4 or more is approximated by three means, so that the time does not depend on it. What
/// is beyond an end of a line is equal to the pixel there.
struct Blur {
  private enum Kernel {
    /// The weights, with that of the pixel itself in the middle.
    case weights([Float])
    /// Means of the pixels that are at most so far away.
    case means([Int])
  }

  private let kernel: Kernel

  /// Creates a blur.
  ///
  /// - Parameter deviation: The standard deviation in pixels, more than 0.
  init(deviation: Double) {
    if deviation < 4 {
      let reach = Int((deviation * 3).rounded(.up))
      let weights = (-reach...reach)
        .map { exp(-Double($0 * $0) / (2 * deviation * deviation)) }
      let sum = weights.reduce(0, +)
      kernel = .weights(weights.map { Float($0 / sum) })
    } else {
      kernel = .means(Self.reaches(deviation))
    }
  }

  /// Returns how far three means of an odd number of pixels reach to both sides.
  ///
  /// A mean of `n` pixels has the variance (n² - 1) / 12. The two odd numbers around the ideal one are
  /// combined so that the sum comes nearest to the square of the deviation.
  private static func reaches(_ deviation: Double) -> [Int] {
    let wanted = deviation * deviation
    let short = Int((((4 * wanted + 1).squareRoot() - 1) / 2).rounded(.down))
    func variance(_ reach: Int) -> Double { Double(reach * (reach + 1)) / 3 }
    let choices = (0...3)
      .map { count in
        Array(repeating: short, count: count) + Array(repeating: short + 1, count: 3 - count)
      }
    func error(_ reaches: [Int]) -> Double {
      abs(reaches.reduce(0) { $0 + variance($1) } - wanted)
    }
    return choices.min { error($0) < error($1) } ?? [short, short, short]
  }

  func blurred(_ line: [SIMD4<Float>]) -> [SIMD4<Float>] {
    switch kernel {
    case .weights(let weights):
      let reach = weights.count / 2
      return line.indices.map { place in
        var sum = SIMD4<Float>.zero
        for (offset, weight) in weights.enumerated() {
          sum += line[min(max(place + offset - reach, 0), line.count - 1)] * weight
        }
        return sum
      }
    case .means(let means):
      return means.reduce(line) { Self.mean($0, $1) }
    }
  }

  private static func mean(_ line: [SIMD4<Float>], _ reach: Int) -> [SIMD4<Float>] {
    let last = line.count - 1
    // A mean may reach far beyond the ends of a short line.
    var sum = line[0] * Float(reach) + line[last] * Float(max(0, reach - last))
    for place in 0...min(reach, last) { sum += line[place] }
    let share = 1 / Float(2 * reach + 1)
    return line.indices.map { place in
      defer {
        sum += line[min(place + reach + 1, last)] - line[max(place - reach, 0)]
      }
      return sum * share
    }
  }
}

extension Bitmap {
  /// Returns the blurred bitmap.
  ///
  /// - Parameter deviation: The standard deviation in pixels. More than the longer side is like the
  ///   longer side.
  /// - Returns: The bitmap in the same size.
  func blurred(_ deviation: Double) -> Bitmap {
    let deviation = min(deviation, Double(max(size.width, size.height)))
    // Less than a tenth of a pixel is below the precision of a byte.
    guard deviation > 0.1 else { return self }
    let blur = Blur(deviation: deviation)
    return rewritten(size) { source, target in
      // Between the two passes a component has sixteen bits.
      withUnsafeTemporaryAllocation(of: SIMD4<UInt16>.self, capacity: size.count) { middle in
        for y in 0..<size.height {
          let start = y * size.width
          let line = (start..<start + size.width)
            .map { place in
              SIMD4<Float>(
                Float(source[place * 4]),
                Float(source[place * 4 + 1]),
                Float(source[place * 4 + 2]),
                Float(source[place * 4 + 3])
              )
            }
          for (x, pixel) in blur.blurred(line).enumerated() {
            let fixed = (pixel * 256 + 0.5).clamped(lowerBound: .zero, upperBound: Self.most)
            middle.initializeElement(at: start + x, to: SIMD4<UInt16>(fixed))
          }
        }
        for x in 0..<size.width {
          let line = (0..<size.height)
            .map { y in SIMD4<Float>(middle[y * size.width + x]) / 256 }
          for (y, pixel) in blur.blurred(line).enumerated() {
            let value = (pixel + 0.5).clamped(lowerBound: .zero, upperBound: .init(repeating: 255))
            let start = (y * size.width + x) * 4
            // No colour may be more than the alpha.
            for channel in 0..<3 {
              target[start + channel] = UInt8(min(value[channel], value.w))
            }
            target[start + 3] = UInt8(value.w)
          }
        }
      }
    }
  }

  private static let most = SIMD4<Float>(repeating: 255 * 256)
}
