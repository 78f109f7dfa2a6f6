import Foundation

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Keeps what was `downloaded` in a store, if its headers allow that (RFC 9111 section 3).
  ///
  /// - A validated copy gets its new headers; its body is not written again. One that is gone by then is
  ///   not written again either.
  /// - An error, such as a 404, is kept beside the copy of the resource, and takes not its place; so is a
  /// failure of the server that a stale copy stands in for.
  /// - A response that must not be stored takes what was stored for the request with it.
  /// - What is newer than the stored copy and cannot take its place, and an answer that the resource is
  ///   gone (404 or 410), let that copy expire: it is asked for again, and is there for when the network
  ///   fails.
  /// - What comes late is not kept: see ``ResourceStore/keep(_:)``.
  /// - A memory store also keeps what came from a slower store.
  /// - Failing to keep something costs persistence, never the answer: the reason is a line of the
  ///   explanation.
  /// - The step is forwarded once the store has acknowledged.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - expiry: The policy of ``checkExpiry(_:limits:now:)``: anything but ``ExpiryPolicy/http`` keeps
  ///     responses without a lifetime too.
  /// - Returns: The chain with this stage.
  public func persist(
    in store: some ResourceStore,
    expiry: ExpiryPolicy = .http
  ) -> FetchChain {
    appending(Persist(in: store, expiry: expiry))
  }
}

/// Writes what was downloaded into a store, see
/// ``_Concurrency/AsyncSequence/persist(in:expiry:)``.
public struct Persist: PlacedFetchStage {
  private let writer: StoreWriter

  /// Makes the stage for a store.
  public init(in store: some ResourceStore, expiry: ExpiryPolicy = .http) {
    writer = StoreWriter(store: store, expiry: expiry)
  }

  /// The name of the stage.
  public var name: StageName { .persist(in: writer.store.origin) }
  /// The kinds of step that the stage handles.
  public var handles: Fetch.Kinds { [.downloaded, .resource, .failure] }

  /// Replies to a step without waiting.
  public func replyNow(to step: Fetch) -> Fetch.Reply? {
    if case .resource(let resource) = step, !writer.writes(resource) { return .pass }
    return nil
  }

  func reply(to step: Fetch, at place: FetchPlace) async throws(FreshetError) -> Fetch.Reply {
    place.isPlan ? .pass : .step(try await writer.write(step, since: place.began))
  }

  /// Looks at the failure of an earlier stage.
  public func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply {
    await writer.learn(from: failure)
    throw failure
  }

  /// The stage as it is written.
  public var stageDescription: String {
    let expiry = Wording.unless(.http, writer.expiry) { "expiry: \($0.wording)" }
    return ".persist" + Wording.parameters("in: \(writer.store.origin.rawValue)", expiry)
  }
}
