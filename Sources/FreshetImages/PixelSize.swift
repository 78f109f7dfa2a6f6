/// A size in pixels.
public struct PixelSize: Sendable, Hashable {
  /// The pixels of a row.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Makes a size; neither side is negative.
  public init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }

  /// How many pixels it has; `Int.max` if that is more than a number can hold.
  public var count: Int {
    let (count, overflows) = width.multipliedReportingOverflow(by: height)
    return overflows ? .max : count
  }

  /// The same size with its sides exchanged.
  public var turned: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
  /// The sides, as in `640×480`.
  public var description: String { "\(width)×\(height)" }
}
