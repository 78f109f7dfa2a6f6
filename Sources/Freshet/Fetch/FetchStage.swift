/// A stage of a fetch: handles some kinds of step, and is passed over by all others.
///
/// A stage is a value that all runs of its chain share. One that answers without waiting implements
/// ``replyNow(to:)``, one that waits ``reply(to:)-(Fetch)``:
///
/// ```swift
/// struct ReportDownloads: FetchStage {
///   var handles: Fetch.Kinds { .downloaded }
///
///   func replyNow(to step: Fetch) -> Fetch.Reply? {
///     if case .downloaded(let downloaded) = step { print(downloaded.response.body.length) }
///     return .pass
///   }
/// }
///
/// let chain = client.chain(for: request).inserting(ReportDownloads(), before: .persist)
/// ```
///
/// - Steps reach a stage in order, one at a time within a run; runs are concurrent.
/// - A stage runs where its reader runs, or in the task of a fetch that is shared.
/// - Cancelling the reader cancels the task in which the stage waits.
public protocol FetchStage: Sendable {
  /// The name by which an edited chain finds the stage; by default that of its type, `reportDownloads`
  /// for `ReportDownloads`.
  var name: StageName { get }

  /// The kinds of step that the stage handles; the run passes the stage over for all others.
  var handles: Fetch.Kinds { get }

  /// Replies to a step without waiting.
  ///
  /// - Returns: The reply, or `nil`, the default, to be asked by ``reply(to:)-(Fetch)``.
  /// - Throws: The failure that ends the fetch, unless a later stage recovers from it.
  func replyNow(to step: Fetch) throws(FreshetError) -> Fetch.Reply?

  /// Replies to a step; by default it passes untouched.
  ///
  /// - Throws: The failure that ends the fetch, unless a later stage recovers from it.
  nonisolated(nonsending) func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply

  /// Looks at the failure of an earlier stage, if ``handles`` has ``Fetch/Kinds/failure``.
  ///
  /// - Returns: Steps in place of the failure.
  /// - Throws: The failure that goes on to the later stages; by default the same.
  nonisolated(nonsending) func reply(
    to failure: FreshetError
  ) async throws(FreshetError)
    -> Fetch.Reply

  /// The request that the stage would send for a step; `nil`, the default, for a stage that does not
  /// ask the network. A plan ends at the first stage that would, see ``FetchChain/plan()``.
  func request(for step: Fetch) -> Request?

  /// The stage as it is written, with its parameters: `.lookup(in: disk)`.
  ///
  /// By default the name, such as `.reportDownloads()`. A stage whose text is empty is left out of
  /// descriptions.
  var stageDescription: String { get }
}

extension FetchStage {
  /// The name of the type, its first letter in lower case.
  public var name: StageName {
    let type = "\(Self.self)".prefix { $0 != "<" }
    return StageName(type.prefix(1).lowercased() + type.dropFirst())
  }

  /// `nil`: the stage is asked by ``reply(to:)-(Fetch)``.
  public func replyNow(to step: Fetch) throws(FreshetError) -> Fetch.Reply? { nil }

  /// The step passes.
  public func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply { .pass }

  /// The failure goes on.
  public func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply {
    throw failure
  }

  /// The stage does not ask the network.
  public func request(for step: Fetch) -> Request? { nil }

  /// The name, without parameters.
  public var stageDescription: String { ".\(name.word)()" }
}

/// A stage that remembers something of a run, such as when progress passed last.
///
/// A run makes its own copy at its beginning, as a sequence makes its iterator; the copy handles the
/// run's steps one at a time. A fetch that is shared has a run of its own behind the stage that shares
/// it.
public protocol StatefulFetchStage: FetchStage {
  /// Makes the stage of one run.
  func makeRunStage() -> any FetchStage
}

/// A stage that needs its place in the run: to run the stages behind it elsewhere, or to know when the
/// run began.
protocol PlacedFetchStage: FetchStage {
  nonisolated(nonsending) func reply(
    to step: Fetch,
    at place: FetchPlace
  ) async throws(FreshetError) -> Fetch.Reply
}
