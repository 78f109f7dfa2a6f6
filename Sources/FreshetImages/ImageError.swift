public import Freshet
public import FreshetEssentials

/// The reason why there is no picture.
public enum ImageError: Error, Sendable, Equatable {
  /// The bytes could not be fetched.
  case resource(FreshetError)
  /// The bytes do not have a format that the decoder supports.
  case unsupported(_ reason: String)
  /// The bytes begin like a picture, but are damaged.
  case damaged(_ reason: String)
  /// A processor could not change the picture.
  case processing(_ reason: String)
  /// Decoding would exceed ``DecodingLimits``; no memory beyond them was allocated for it.
  case tooLarge(_ limit: Limit)

  /// The limit that was exceeded, with the actual value as far as it is known.
  public enum Limit: Sendable, Hashable {
    /// More encoded bytes than ``DecodingLimits/bytes``, of which more may have been coming.
    case bytes(Int64)
    /// More pixels than ``DecodingLimits/pixels``, or ten times as many in all frames or scans.
    case pixels(Int)
    /// More memory during decoding than ``DecodingLimits/memory``.
    case memory(Int)
    /// More frames than ``DecodingLimits/frames``.
    case frames(Int)
  }
}

extension ImageError: PipelineFailure {
  /// Wraps an error of Freshet.
  public init(_ error: FreshetError) {
    self = .resource(error)
  }
}

extension ImageError: CancellableFailure {
  package var isCancelled: Bool {
    if case .resource(let error) = self { error.isCancelled } else { false }
  }
}

extension ImageError: CustomStringConvertible {
  /// One sentence: what failed, and what to do about it.
  public var description: String {
    switch self {
    case .resource(let error): error.description
    case .unsupported(let reason): "The picture cannot be decoded: \(reason)."
    case .damaged(let reason): "The picture is damaged: \(reason)."
    case .processing(let reason): "The picture cannot be processed: \(reason)."
    case .tooLarge(let limit): "The picture is too large: it has \(limit.explanation)."
    }
  }
}

extension ImageError: LocalizedError {
  /// The sentence in ``description``.
  public var errorDescription: String? { description }
}

extension ImageError.Limit {
  fileprivate var explanation: String {
    switch self {
    case .bytes(let count): "\(count) bytes or more; limits.bytes can be raised"
    case .pixels(let count): "\(count) pixels; limits.pixels can be raised"
    case .memory(let count): "\(count) bytes of pixels; limits.memory can be raised"
    case .frames(let count): "\(count) frames or more; limits.frames can be raised"
    }
  }
}
