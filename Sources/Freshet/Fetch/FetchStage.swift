/// A stage of a fetch, which handles some kinds of steps and is skipped for all others.
///
/// A stage is a value that all runs of its chain share. Implement ``replyNow(to:)`` if it replies
/// without waiting, and ``reply(to:)-(Fetch)`` if it waits:
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
/// let chain = client.chain(for: request).inserting(ReportDownloads(), after: .download)
/// ```
///
/// - A stage receives steps in order, one at a time within a run; several runs may be concurrent.
/// - A stage runs in the task of its reader, or in that of a shared fetch.
/// - Cancelling the reader cancels the task in which the stage waits.
public protocol FetchStage: FetchStageMembers {
  /// The name of the stage for editing chains; by default that of its type, such as `reportDownloads`
  /// for `ReportDownloads`.
  var name: StageName { get }

  /// The kinds of steps that the stage handles; the run skips the stage for all others.
  var handles: Fetch.Kinds { get }

  /// Replies to a step without waiting.
  ///
  /// - Returns: The reply; `nil`, the default, if ``reply(to:)-(Fetch)`` has to be called.
  /// - Throws: The failure that ends the fetch, unless a later stage recovers from it.
  func replyNow(to step: Fetch) throws(FreshetError) -> Fetch.Reply?

  /// Replies to a step; by default it passes unchanged.
  ///
  /// - Throws: The failure that ends the fetch, unless a later stage recovers from it.
  nonisolated(nonsending) func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply

  /// Replies to a step at its place in a run, for a stage that runs the stages after it elsewhere.
  ///
  /// The run calls this function; by default it calls ``reply(to:)-(Fetch)``.
  ///
  /// - Throws: The failure that ends the fetch, unless a later stage recovers from it.
  nonisolated(nonsending) func reply(
    to step: Fetch,
    at place: FetchPlace
  ) async throws(FreshetError) -> Fetch.Reply

  /// A Boolean value that indicates whether each run has a stage of its own; `true` for a
  /// ``StatefulFetchStage``, which need not implement it.
  var isStateful: Bool { get }

  /// Handles the failure of an earlier stage, if ``handles`` contains ``Fetch/Kinds/failure``.
  ///
  /// - Returns: Steps in place of the failure.
  /// - Throws: The failure for the later stages; by default the same one.
  nonisolated(nonsending) func reply(
    to failure: FreshetError
  ) async throws(FreshetError)
    -> Fetch.Reply

  /// Returns the request that the stage would send for a step; `nil`, the default, if it does not use
  /// the network.
  ///
  /// A plan ends at the first stage that would send a request, see ``FetchChain/plan()``.
  func request(for step: Fetch) -> Request?

  /// The stage with its parameters, as it would be written in code, such as `.lookup(in: disk)`.
  ///
  /// By default the name, such as `.reportDownloads()`. A stage whose description is empty is omitted
  /// from descriptions.
  var stageDescription: String { get }
}

extension FetchStage {
  /// The name of the type, with its first letter in lower case.
  public var name: StageName {
    let type = "\(Self.self)".prefix { $0 != "<" }
    return StageName(type.prefix(1).lowercased() + type.dropFirst())
  }

  /// Returns `nil`: ``reply(to:)-(Fetch)`` is called.
  public func replyNow(to step: Fetch) throws(FreshetError) -> Fetch.Reply? { nil }

  /// Passes the step.
  public func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply { .pass }

  /// Replies without regard to the place.
  public func reply(to step: Fetch, at place: FetchPlace) async throws(FreshetError) -> Fetch.Reply
  {
    try await reply(to: step)
  }

  /// `false`: all runs share the stage.
  public var isStateful: Bool { false }

  /// Rethrows the failure.
  public func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply {
    throw failure
  }

  /// Returns `nil`: the stage does not use the network.
  public func request(for step: Fetch) -> Request? { nil }

  /// The name, without parameters.
  public var stageDescription: String { ".\(name.word)()" }
}

/// A stage with state for each run, such as the time of the last progress.
///
/// A run creates its own copy at its beginning, as a sequence creates its iterator; the copy handles
/// the steps of the run one at a time. A shared fetch is a separate run of the stages after the one
/// that shares it, unless the worker of a batch runs it.
public protocol StatefulFetchStage: FetchStage {
  /// Creates the stage for one run.
  func makeRunStage() -> any FetchStage
}

extension StatefulFetchStage {
  /// `true`: each run has a stage of its own.
  public var isStateful: Bool { true }
}
