/// A size in pixels.
public struct PixelSize: Sendable, Hashable {
  /// The number of pixels in a row.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a size; negative sides become 0.
  public init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// The number of pixels; `Int.max` if it overflows.
  public var count: Int {
    let (count, overflows) = width.multipliedReportingOverflow(by: height)
    return overflows ? .max : count
  }

  /// The size with its sides exchanged.
  public var turned: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
  /// The sides, such as `640×480`.
  public var description: String { "\(width)×\(height)" }
}
