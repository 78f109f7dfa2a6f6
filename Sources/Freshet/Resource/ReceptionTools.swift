import Foundation

/// What a stage receives with.
///
/// It is shared by the stages of a chain.
final class ReceptionTools: Sendable {
  /// Without a transport, the stage forwards everything: an offline chain.
  let transport: (any Transport)?
  let spool: Spool
  /// How often a broken transfer is taken up within one fetch.
  let resumptions: Int
  /// How much of an error response's body is kept, in bytes.
  let errorBodyLimit: Int
  /// The call that what is sent is a part of; one for each request by default.
  let scope: CallScope?
  /// Whether progress carries what has arrived.
  let showsArrival: Bool
  /// Whether progress is left out that the result follows at once and says all of.
  let skipsLastProgress: Bool
  /// Whether the body's SHA-256 is going to be asked for, so that it is computed on the way.
  let needsDigest: Bool
  let now: @Sendable () -> Date

  init(
    transport: (any Transport)?,
    spool: Spool,
    resumptions: Int = 3,
    errorBodyLimit: Int = RefusedResponse.bodyLimit,
    scope: CallScope? = nil,
    showsArrival: Bool = false,
    skipsLastProgress: Bool = false,
    needsDigest: Bool = false,
    now: @escaping @Sendable () -> Date
  ) {
    self.transport = transport
    self.spool = spool
    self.resumptions = resumptions
    self.errorBodyLimit = errorBodyLimit
    self.scope = scope
    self.showsArrival = showsArrival
    self.skipsLastProgress = skipsLastProgress
    self.needsDigest = needsDigest
    self.now = now
  }
}
