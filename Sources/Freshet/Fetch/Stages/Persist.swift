import FreshetEssentials

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Stores a `downloaded` response, if its headers allow that (RFC 9111 section 3).
  ///
  /// - A revalidated copy gets its new headers; its body is not written again. If it was removed in the
  ///   meantime, it is not stored again.
  /// - An error, such as a 404, is stored beside the copy of the resource, and does not replace it; so
  ///   is a server failure that a stale copy has replaced.
  /// - A response that must not be stored removes what was stored for the request.
  /// - A newer response that cannot replace the stored copy, or says that the resource is gone (404 or
  ///   410), marks that copy as expired: it is revalidated before its next use, and remains as a fallback
  ///   when the network fails.
  /// - A response that is outdated when it arrives is not stored: see ``ResourceStore/keep(_:)``.
  /// - A memory store also stores responses from slower stores.
  /// - If storing fails, the response is delivered nevertheless, and the explanation contains the reason.
  /// - The step is forwarded once the store has acknowledged the write.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - expiry: The policy of ``checkExpiry(_:limits:now:)``; any other than ``ExpiryPolicy/http``,
  ///     the default, also stores responses without a lifetime.
  /// - Returns: The chain with this stage.
  public func persist(
    in store: some ResourceStore,
    expiry: ExpiryPolicy = .http
  ) -> FetchChain {
    appending(Persist(in: store, expiry: expiry))
  }
}

/// Writes downloaded responses to a store, see ``_Concurrency/AsyncSequence/persist(in:expiry:)``.
public struct Persist: FetchStage {
  private let writer: StoreWriter

  /// Creates the stage for a store.
  public init(in store: some ResourceStore, expiry: ExpiryPolicy = .http) {
    writer = StoreWriter(store: store, expiry: expiry)
  }

  /// The name of the stage.
  public var name: StageName { .persist(in: writer.store.source) }
  /// The kinds of steps that the stage handles.
  public var handles: Fetch.Kinds { [.downloaded, .resource, .failure] }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    guard case .resource(let resource) = step, !writer.writes(resource) else { return nil }
    return .pass
  }

  /// Replies to a step at its place in a run.
  public func reply(to step: Fetch, at place: FetchPlace) async throws(FreshetError) -> Fetch.Reply
  {
    if place.isPlan { return .pass }
    let isLast = place.stages.index(handling: .wanted, from: place.next) == nil
    return .step(try await writer.write(step, since: place.began, isLast: isLast))
  }

  /// Handles the failure of an earlier stage.
  public func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply {
    await writer.learn(from: failure)
    throw failure
  }

  /// The stage as it would be written in code.
  public var stageDescription: String {
    let expiry = PipelineText.unless(.http, writer.expiry) { "expiry: \($0.wording)" }
    return ".persist" + PipelineText.parameters("in: \(writer.store.source.rawValue)", expiry)
  }
}
