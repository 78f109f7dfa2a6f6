public import Foundation
public import Freshet

/// Why there is no picture.
public enum ImageError: Error, Sendable, Equatable {
  /// The bytes could not be fetched.
  case resource(FreshetError)
  /// The bytes are no picture that the decoder knows.
  case unsupported(_ reason: String)
  /// The bytes begin as a picture and do not go on as one.
  case damaged(_ reason: String)
  /// Decoding it would cost more than ``DecodingLimits`` allows; nothing was allocated for it.
  case tooLarge(_ limit: Limit)

  /// Which limit was exceeded, and by what.
  public enum Limit: Sendable, Hashable {
    /// More encoded bytes than ``DecodingLimits/bytes``.
    case bytes(Int64)
    /// More pixels than ``DecodingLimits/pixels``.
    case pixels(Int)
    /// More memory while it is decoded than ``DecodingLimits/memory``.
    case memory(Int)
    /// More frames than ``DecodingLimits/frames``.
    case frames(Int)
  }
}

extension ImageError: PipelineFailure {
  /// Wraps what went wrong below.
  public init(_ error: FreshetError) {
    self = .resource(error)
  }
}

extension ImageError: CustomStringConvertible {
  /// One sentence: what failed, and what can be done about it.
  public var description: String {
    switch self {
    case .resource(let error): error.description
    case .unsupported(let reason): "The picture cannot be decoded: \(reason)."
    case .damaged(let reason): "The picture is damaged: \(reason)."
    case .tooLarge(let limit): "The picture is too large: it has \(limit.explanation)."
    }
  }
}

extension ImageError: LocalizedError {
  /// The same sentence as ``description``.
  public var errorDescription: String? { description }
}

extension ImageError.Limit {
  fileprivate var explanation: String {
    switch self {
    case .bytes(let count): "\(count) bytes, more than limits.bytes"
    case .pixels(let count): "\(count) pixels, more than limits.pixels"
    case .memory(let count): "a need of \(count) bytes, more than limits.memory"
    case .frames(let count): "\(count) frames or more, over limits.frames"
    }
  }
}
