/// Makes a raster smaller: each new pixel is the mean of the area that it covers.
///
/// It takes one pass over the source and holds two rows of the result.
struct Reduction {
  private struct Span {
    let start: Int
    let weights: [Float]
  }

  private let source: PixelSize
  private let target: PixelSize
  private let columns: [Span]

  /// Prepares a reduction; no side of the target is longer than the source's.
  init(from source: PixelSize, to target: PixelSize) {
    self.source = source
    self.target = target
    columns = (0..<target.width).map { Self.span($0, source.width, target.width) }
  }

  /// The part of each source pixel in a target pixel; all parts together are 1.
  private static func span(_ index: Int, _ source: Int, _ target: Int) -> Span {
    let factor = Double(source) / Double(target)
    let begin = Double(index) * factor
    let end = min(Double(index + 1) * factor, Double(source))
    let first = min(Int(begin), source - 1)
    let last = min(max(first, Int(end.rounded(.up)) - 1), source - 1)
    let weights = (first...last)
      .map { pixel in
        Float((min(end, Double(pixel + 1)) - max(begin, Double(pixel))) / factor)
      }
    return Span(start: first, weights: weights)
  }

  func reduce(_ raster: Raster) -> Raster {
    guard source != target else { return raster }
    let rowLength = target.width * 4
    var row = [Float](repeating: 0, count: rowLength)
    var sum = [Float](repeating: 0, count: rowLength)
    let bytes = [UInt8](unsafeUninitializedCapacity: rowLength * target.height) { output, count in
      raster.bytes.withUnsafeBufferPointer { input in
        for y in 0..<target.height {
          let span = Self.span(y, source.height, target.height)
          for index in sum.indices { sum[index] = 0 }
          for (offset, weight) in span.weights.enumerated() {
            let start = (span.start + offset) * source.width * 4
            narrow(UnsafeBufferPointer(rebasing: input[start..<start + source.width * 4]), &row)
            for index in sum.indices { sum[index] += row[index] * weight }
          }
          for index in sum.indices {
            let value = UInt8(min(255, max(0, sum[index] + 0.5)))
            output.initializeElement(at: y * rowLength + index, to: value)
          }
        }
      }
      count = rowLength * target.height
    }
    return Raster(target, bytes, isOpaque: raster.isOpaque)
  }

  /// One row of the source, as wide as the target.
  private func narrow(_ input: UnsafeBufferPointer<UInt8>, _ row: inout [Float]) {
    row.withUnsafeMutableBufferPointer { row in
      for (x, span) in columns.enumerated() {
        var pixel = SIMD4<Float>()
        var place = span.start * 4
        for weight in span.weights {
          let source = SIMD4<Float>(
            Float(input[place]),
            Float(input[place + 1]),
            Float(input[place + 2]),
            Float(input[place + 3])
          )
          pixel += source * weight
          place += 4
        }
        for channel in 0..<4 { row[x * 4 + channel] = pixel[channel] }
      }
    }
  }
}
