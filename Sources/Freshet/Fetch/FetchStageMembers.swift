/// The members of a ``FetchStage`` that have defaults, with the types that a stage declares.
///
/// A function that returns or throws something else would be ignored silently, because Swift uses the
/// default where a stage has none of the right type. As with ``EndpointMembers``, it is a compiler
/// error that shows the right declaration: `func replyNow(to step: Fetch) -> Fetch.Reply` lacks a `?`.
///
/// Declare a ``FetchStage``, which inherits from this protocol.
public protocol FetchStageMembers: Sendable {
  /// The type of `name`.
  associatedtype NameMember
  /// The result of `replyNow(to:)`.
  associatedtype ImmediateReply
  /// The error that `replyNow(to:)` throws.
  associatedtype ImmediateFailure: Error
  /// The result of `reply(to:)` for a step.
  associatedtype AwaitedReply
  /// The error that `reply(to:)` throws for a step.
  associatedtype AwaitedFailure: Error
  /// The result of `reply(to:)` for a failure.
  associatedtype FailureReply
  /// The error that `reply(to:)` throws for a failure.
  associatedtype LaterFailure: Error
  /// The result of `request(for:)`.
  associatedtype PlannedRequest

  /// See ``FetchStage/name``.
  var name: NameMember { get }
  /// See ``FetchStage/replyNow(to:)``.
  func replyNow(to step: Fetch) throws(ImmediateFailure) -> ImmediateReply
  /// See ``FetchStage/reply(to:)-(Fetch)``.
  nonisolated(nonsending) func reply(to step: Fetch) async throws(AwaitedFailure) -> AwaitedReply
  /// See ``FetchStage/reply(to:)-(FreshetError)``.
  nonisolated(nonsending) func reply(
    to failure: FreshetError
  ) async throws(LaterFailure) -> FailureReply
  /// See ``FetchStage/request(for:)``.
  func request(for step: Fetch) -> PlannedRequest

  /// Available if `name` has the right type.
  static var checkedName: Void { get }
  /// Available if `replyNow(to:)` has the right type.
  static var checkedImmediateReply: Void { get }
  /// Available if `reply(to:)` for a step has the right type.
  static var checkedReply: Void { get }
  /// Available if `reply(to:)` for a failure has the right type.
  static var checkedFailureReply: Void { get }
  /// Available if `request(for:)` has the right type.
  static var checkedRequest: Void { get }
}

/// The errors that functions of stages may throw: ``FreshetError``, or none.
public protocol FetchStageFailure: Error {}

extension FreshetError: FetchStageFailure {}

extension Never: FetchStageFailure {}

extension FetchStageMembers where NameMember == StageName {
  /// `name` has the right type.
  public static var checkedName: Void { () }
}

extension FetchStageMembers
where ImmediateReply == Fetch.Reply?, ImmediateFailure: FetchStageFailure {
  /// `replyNow(to:)` has the right type.
  public static var checkedImmediateReply: Void { () }
}

extension FetchStageMembers where AwaitedReply == Fetch.Reply, AwaitedFailure: FetchStageFailure {
  /// `reply(to:)` for a step has the right type.
  public static var checkedReply: Void { () }
}

extension FetchStageMembers where FailureReply == Fetch.Reply, LaterFailure: FetchStageFailure {
  /// `reply(to:)` for a failure has the right type.
  public static var checkedFailureReply: Void { () }
}

extension FetchStageMembers where PlannedRequest == Request? {
  /// `request(for:)` has the right type.
  public static var checkedRequest: Void { () }
}

// MARK: - Wrong types

// Chosen for a member that matches none of the above: the message is the compiler's error.
extension FetchStageMembers {
  /// `name` has a wrong type.
  @available(
    *,
    unavailable,
    message: "`name` is not a StageName; write `var name: StageName { \"reportDownloads\" }`"
  )
  public static var checkedName: Void { () }

  /// `replyNow(to:)` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `replyNow(to:)` returns or throws something else; write \
      `func replyNow(to step: Fetch) throws(FreshetError) -> Fetch.Reply?`
      """
  )
  public static var checkedImmediateReply: Void { () }

  /// `reply(to:)` for a step has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `reply(to:)` returns or throws something else; write \
      `func reply(to step: Fetch) async throws(FreshetError) -> Fetch.Reply`
      """
  )
  public static var checkedReply: Void { () }

  /// `reply(to:)` for a failure has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `reply(to:)` returns or throws something else; write \
      `func reply(to failure: FreshetError) async throws(FreshetError) -> Fetch.Reply`
      """
  )
  public static var checkedFailureReply: Void { () }

  /// `request(for:)` has a wrong type.
  @available(
    *,
    unavailable,
    message: """
      `request(for:)` returns something else; write `func request(for step: Fetch) -> Request?`
      """
  )
  public static var checkedRequest: Void { () }
}
