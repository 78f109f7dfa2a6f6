/// The limits of a response; exceeding one fails with ``FreshetError/limitExceeded(_:url:)``.
public struct ResponseLimits: Sendable, Hashable, RequestChoices {
  /// The largest number of header fields; 1,000 by default.
  public var headerCount = 1_000 { didSet { choices.insert(.headerCount) } }
  /// The largest size of all header lines together in bytes; 256 KiB by default.
  ///
  /// On Linux no single line may have more than 100 KiB, and with HTTP/2 libcurl 7.88 takes a head of more than
  /// about 128 KiB for a lost connection.
  public var headerBytes = 256 * 1024 { didSet { choices.insert(.headerBytes) } }
  /// The largest body in bytes after decoding, or `nil`, the default, for any size.
  public var bodyBytes: Int64? { didSet { choices.insert(.bodyBytes) } }
  /// The largest ratio of the decoded size to the received size of a body; 100 by default.
  ///
  /// It is checked once the decoded body exceeds 32 MiB, so that small bodies that compress well
  /// are never refused. For a body with two codings on Linux, the output of both counts, and each
  /// further member of a compressed body counts as 256 bytes. On Apple platforms the received size is the one that
  /// `Content-Length` announces, and a body without it is not checked: set ``bodyBytes`` as well.
  public var decompressionRatio = 100 { didSet { choices.insert(.ratio) } }
  /// The limits that were set, which a client does not replace.
  var choices = Choices<Property>()

  /// Makes the default limits, changed by a closure.
  public init(_ configure: (inout ResponseLimits) -> Void = { _ in }) {
    configure(&self)
  }
}

extension Request {
  /// Refuses a body that is announced to be longer than the request allows, before a place is made for it.
  ///
  /// - Parameter length: The length of the whole body in bytes; `nil` if it is unknown.
  /// - Throws: ``FreshetError/limitExceeded(_:url:)``.
  func refuseExcess(of length: Int64?) throws(FreshetError) {
    guard let limit = limits.bodyBytes, let length, length > limit else { return }
    throw .limitExceeded(.bodyBytes(limit), url: Redaction.shown(url))
  }
}

// MARK: - Defaults of a client

extension ResponseLimits {
  enum Property: UInt8, CaseIterable {
    case headerCount = 1
    case headerBytes = 2
    case bodyBytes = 4
    case ratio = 8
  }

  mutating func take(_ property: Property, from other: Self) {
    switch property {
    case .headerCount: headerCount = other.headerCount
    case .headerBytes: headerBytes = other.headerBytes
    case .bodyBytes: bodyBytes = other.bodyBytes
    case .ratio: decompressionRatio = other.decompressionRatio
    }
  }
}
