/// The limits of a response; exceeding one fails with ``FreshetError/limitExceeded(_:url:)``.
public struct ResponseLimits: Sendable, Hashable {
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
  private(set) var choices: Choices = []

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
  struct Choices: OptionSet {
    let rawValue: UInt8

    static let headerCount = Choices(rawValue: 1)
    static let headerBytes = Choices(rawValue: 2)
    static let bodyBytes = Choices(rawValue: 4)
    static let ratio = Choices(rawValue: 8)
  }

  /// The limits with those of a client where they were not set.
  func completed(by defaults: Self, without excluded: Choices) -> Self {
    let missing = defaults.choices.subtracting(choices).subtracting(excluded)
    var limits = self
    if missing.contains(.headerCount) { limits.headerCount = defaults.headerCount }
    if missing.contains(.headerBytes) { limits.headerBytes = defaults.headerBytes }
    if missing.contains(.bodyBytes) { limits.bodyBytes = defaults.bodyBytes }
    if missing.contains(.ratio) { limits.decompressionRatio = defaults.decompressionRatio }
    return limits
  }

  /// Compares the limits, and not which were set.
  public static func == (left: Self, right: Self) -> Bool {
    left.headerCount == right.headerCount && left.headerBytes == right.headerBytes
      && left.bodyBytes == right.bodyBytes && left.decompressionRatio == right.decompressionRatio
  }

  /// Hashes the limits.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(headerCount)
    hasher.combine(headerBytes)
    hasher.combine(bodyBytes)
    hasher.combine(decompressionRatio)
  }
}
