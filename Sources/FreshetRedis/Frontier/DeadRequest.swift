#if Redis && !canImport(Darwin)
public import Freshet

/// A request of a frontier that has failed for good.
public struct DeadRequest: Sendable {
  /// The request; `nil` if it was written by another version, or is damaged.
  public let request: Request?
  /// The number of attempts.
  public let attempts: Int
  /// The description of the last failure.
  public let reason: String

  /// Reads an entry of the stream.
  init?(_ reply: RedisReply) {
    guard let last = reply.elements?.last, last.elements != nil else { return nil }
    let values = last.fields
    let isKnown = values["v"]?.text == FrontierBody.version
    request = isKnown ? values["r"]?.data.flatMap { FrontierBody(data: $0).request } : nil
    attempts = Int(values["a"]?.number ?? 0)
    reason = values["e"]?.text ?? ""
  }
}
#endif
