import FreshetEssentials

/// The options of a stage that receives responses, shared by the stages of a chain.
final class ReceivingOptions: Sendable {
  private let makeSpool: @Sendable () -> Spool
  /// The number of times that a broken transfer is resumed within one fetch.
  let resumptions: Int
  /// The number of bytes that are kept of an error response's body.
  let errorBodyLimit: Int
  /// A Boolean value that indicates whether progress contains the bytes that have arrived.
  let showsArrival: Bool
  /// A Boolean value that indicates whether the body's SHA-256 will be needed, and is computed as the
  /// body arrives.
  let needsDigest: Bool
  /// The media types that the body may have.
  let contentTypes: ContentTypes
  /// A Boolean value that indicates whether the body goes to a file of the user's, so that it may rest
  /// and be resumed although its response may not be stored.
  let isForFile: Bool
  /// A Boolean value that indicates whether the stored parts of a body are used, and not only added to.
  let usesStoredParts: Bool
  /// Receives the length of a body, and where it comes from, before it arrives.
  let announced: (@Sendable (Int64, URL) -> Void)?
  let now: @Sendable () -> Date

  init(
    spool: @escaping @Sendable () -> Spool,
    resumptions: Int = 3,
    errorBodyLimit: Int = RefusedResponse.bodyLimit,
    showsArrival: Bool = false,
    isForFile: Bool = false,
    needsDigest: Bool = false,
    contentTypes: ContentTypes = .any,
    usesStoredParts: Bool = true,
    announced: (@Sendable (Int64, URL) -> Void)? = nil,
    now: @escaping @Sendable () -> Date
  ) {
    makeSpool = spool
    self.resumptions = resumptions
    self.errorBodyLimit = errorBodyLimit
    self.showsArrival = showsArrival
    self.isForFile = isForFile
    self.needsDigest = needsDigest
    self.contentTypes = contentTypes
    self.usesStoredParts = usesStoredParts
    self.announced = announced
    self.now = now
  }

  convenience init(
    spool: Spool = .temporary,
    resumptions: Int = 3,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(spool: { spool }, resumptions: resumptions, now: now)
  }

  /// The folder for large bodies while they arrive; read each time, because the limits of a disk store
  /// may change.
  var spool: Spool { makeSpool() }

  /// Describes the transport, and the options that differ from the defaults, as parameters.
  func wording(over transport: any Transport) -> String {
    let resumptions = PipelineText.unless(3, resumptions) { ", resumptions: \($0)" }
    return "over: \(PipelineText.transport(transport))\(resumptions)"
  }
}
