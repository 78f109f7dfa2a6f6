import Freshet

/// A colour in sRGB, for processors.
///
/// ```swift
/// let shade = PictureColor.black.opacity(0.4)
/// let brand = PictureColor(red: 255, green: 99, blue: 71)
/// ```
public struct PictureColor: Sendable, Hashable {
  /// The red component; not multiplied by the alpha.
  public var red: UInt8
  /// The green component; not multiplied by the alpha.
  public var green: UInt8
  /// The blue component; not multiplied by the alpha.
  public var blue: UInt8
  /// The alpha: 0 is transparent, 255 is opaque.
  public var alpha: UInt8

  /// Creates a colour.
  ///
  /// - Parameters:
  ///   - red: The red component.
  ///   - green: The green component.
  ///   - blue: The blue component.
  ///   - alpha: The alpha; 255, which is opaque, by default.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Opaque black.
  public static let black = PictureColor(red: 0, green: 0, blue: 0)
  /// Opaque white.
  public static let white = PictureColor(red: 255, green: 255, blue: 255)
  /// Transparent black.
  public static let clear = PictureColor(red: 0, green: 0, blue: 0, alpha: 0)

  /// Returns the colour with another alpha.
  ///
  /// - Parameter fraction: The alpha, from 0 to 1; anything beyond is the nearest of both.
  /// - Returns: The colour.
  public func opacity(_ fraction: Double) -> PictureColor {
    var color = self
    color.alpha = fraction > 0 ? UInt8((min(fraction, 1) * 255).rounded()) : 0
    return color
  }
}

extension PictureColor {
  /// The components, with the colours multiplied by the alpha.
  var premultiplied: SIMD4<Float> {
    let colors = SIMD4(Float(red), Float(green), Float(blue), 255)
    return colors * (Float(alpha) / 255)
  }
}

extension PictureColor: CustomStringConvertible {
  /// The components in hexadecimal, such as `#ff6347ff`.
  public var description: String { "#" + Hexadecimal.text([red, green, blue, alpha]) }
}
