import FreshetEssentials

/// The stages of a chain, created once and shared by its copies and runs.
final class StageList: Sendable {
  /// The identity of an edit: fetches only share the stages after ``Coalesce`` if it is the same.
  final class Edition: Sendable {}

  let stages: [any FetchStage]
  /// The kinds of steps that each stage handles.
  let handled: [Fetch.Kinds]
  /// The transport that is asked for the header fields it adds, see ``Transport/addedFields(for:)``.
  let transport: (any Transport)?
  /// The lifecycle of the client that runs the fetches.
  let lifecycle: ClientLifecycle?
  let edition: Edition?
  /// The coalescer of the first ``Coalesce`` stage, whose epoch is read before the lookups.
  let coalescer: Coalescer?
  let isStateful: Bool

  init(
    _ stages: [any FetchStage] = [],
    over transport: (any Transport)? = nil,
    of lifecycle: ClientLifecycle? = nil,
    edition: Edition? = nil
  ) {
    self.stages = stages
    handled = stages.map(\.handles)
    self.transport = transport
    self.lifecycle = lifecycle
    self.edition = edition
    coalescer = stages.lazy.compactMap { $0 as? Coalesce }.first?.coalescer
    isStateful = stages.contains(where: \.isStateful)
  }

  var names: [StageName] { stages.map(\.name) }

  /// Returns the index of the first stage that handles a kind of step, from an index on.
  func index(handling kind: Fetch.Kinds, from first: Int) -> Int? {
    var index = first
    while index < handled.count, !handled[index].contains(kind) { index += 1 }
    return index < handled.count ? index : nil
  }

  /// Returns the stages with a range of them replaced.
  func replacing(_ range: Range<Int>, with new: [any FetchStage]) -> StageList {
    var stages = stages
    stages.replaceSubrange(range, with: new)
    return StageList(stages, over: transport, of: lifecycle, edition: Edition())
  }

  /// Returns the stages from an index on, for a run that does not retain the preceding ones.
  func suffix(from index: Int) -> StageList {
    StageList(Array(stages[index...]), over: transport, of: lifecycle, edition: edition)
  }
}
