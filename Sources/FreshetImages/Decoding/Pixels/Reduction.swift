/// Reduces a picture row by row from the top; each new pixel is the mean of the area that it covers.
///
/// Only the result and a row of sums are in memory.
struct Reduction {
  private let source: PixelSize
  let target: PixelSize
  /// The first source column of each target column, and the range of its weights.
  private let columns: [(start: Int, weights: Range<Int>)]
  private let weights: [Float]
  private let rowFactor: Double
  private var sums: [SIMD4<Float>]
  private var bytes: [UInt8] = []
  private var sourceRow = 0
  private var targetRow = 0

  /// Creates a reduction; no side of the target may be longer than that of the source.
  init(from source: PixelSize, to target: PixelSize) {
    self.source = source
    self.target = target
    rowFactor = Double(source.height) / Double(target.height)
    sums = [SIMD4<Float>](repeating: .zero, count: source == target ? 0 : target.width)
    var weights: [Float] = []
    columns =
      source == target
      ? []
      : (0..<target.width)
        .map { column in
          let parts = Self.parts(of: column, source.width, target.width)
          defer { weights += parts.weights }
          return (parts.start, weights.count..<weights.count + parts.weights.count)
        }
    self.weights = weights
    bytes.reserveCapacity(target.count * 4)
  }

  /// Returns the weights of the source pixels in a target pixel, whose sum is 1.
  private static func parts(
    of index: Int,
    _ source: Int,
    _ target: Int
  ) -> (start: Int, weights: [Float]) {
    let factor = Double(source) / Double(target)
    let begin = Double(index) * factor
    let end = min(Double(index + 1) * factor, Double(source))
    let first = min(Int(begin), source - 1)
    let last = min(max(first, Int(end.rounded(.up)) - 1), source - 1)
    let weights = (first...last)
      .map { pixel in
        Float((min(end, Double(pixel + 1)) - max(begin, Double(pixel))) / factor)
      }
    return (first, weights)
  }

  /// Adds the next row of the source.
  mutating func add(_ row: UnsafeBufferPointer<UInt8>) {
    guard source != target else {
      bytes.append(contentsOf: row)
      return
    }
    let (top, bottom) = (Double(sourceRow), Double(sourceRow + 1))
    sourceRow += 1
    // A row belongs to two rows of the result if the border between them crosses it.
    while targetRow < target.height {
      let begin = Double(targetRow) * rowFactor
      let end = min(Double(targetRow + 1) * rowFactor, Double(source.height))
      let share = min(end, bottom) - max(begin, top)
      if share > 0 { add(row, weight: Float(share / rowFactor)) }
      guard end <= bottom else { return }
      emit()
    }
  }

  /// Returns the reduced picture; must be called once, after the last row.
  mutating func finish() -> [UInt8] {
    while source != target, targetRow < target.height { emit() }
    return bytes
  }

  private mutating func add(_ row: UnsafeBufferPointer<UInt8>, weight: Float) {
    for (column, (start, places)) in columns.enumerated() {
      var pixel = SIMD4<Float>()
      var place = start * 4
      for index in places {
        let bytes = SIMD4(row[place], row[place + 1], row[place + 2], row[place + 3])
        pixel += SIMD4<Float>(bytes) * weights[index]
        place += 4
      }
      sums[column] += pixel * weight
    }
  }

  private mutating func emit() {
    for column in sums.indices {
      let value = (sums[column] + 0.5).clamped(lowerBound: .zero, upperBound: .init(repeating: 255))
      for channel in 0..<4 { bytes.append(UInt8(value[channel])) }
      sums[column] = .zero
    }
    targetRow += 1
  }
}
