public import Foundation

/// Makes pictures of bytes.
///
/// A decoder is called on a thread of its own, on several at the same time, and not on the main
/// actor. It looks at ``DecodingPlan/limits`` before it allocates anything for pixels.
public protocol PictureDecoder: Sendable {
  /// Decodes a picture.
  ///
  /// - Parameters:
  ///   - data: The bytes of a file.
  ///   - plan: How much of it is wanted, and what it may cost.
  /// - Returns: The picture: upright, in sRGB, reduced to the plan's target.
  /// - Throws: ``ImageError/unsupported(_:)``, ``ImageError/damaged(_:)`` or
  ///   ``ImageError/tooLarge(_:)``.
  func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture

  /// Decodes what the beginning of a file shows of its whole picture; `nil` by default.
  ///
  /// It is asked a few times while a file arrives, where ``ImageOptions/arrival-swift.property`` wants
  /// that.
  ///
  /// - Parameters:
  ///   - beginning: The bytes that have arrived.
  ///   - plan: How much of it is wanted, and what it may cost.
  /// - Returns: The whole picture, coarser, or `nil` if the format or these bytes do not give one.
  /// - Throws: ``ImageError``, which has no consequence.
  func preview(of beginning: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture?
}

extension PictureDecoder {
  /// Shows nothing before the file is there.
  public func preview(of beginning: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture? {
    nil
  }
}

/// How much of a picture is wanted, and what it may cost.
public struct DecodingPlan: Sendable, Hashable {
  /// The box that the picture is to fill; its full size if `nil`, the default.
  public var target: ImageTarget?
  /// Whether frames are decoded; they are by default.
  public var animation = ImageRequest.Animation.frames
  /// What it may cost.
  public var limits = DecodingLimits()

  /// Makes the default plan, changed by a closure.
  public init(_ configure: (inout DecodingPlan) -> Void = { _ in }) {
    configure(&self)
  }
}
