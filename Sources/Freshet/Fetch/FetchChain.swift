/// A request and the stages of its fetch, as a sequence of steps.
///
/// ```swift
/// let chain = client.chain(for: request).inserting(AuditStage(), before: .download)
/// print(chain)
/// let logo = try await chain.settle().value
/// ```
///
/// - The chain is cold: nothing happens before it is iterated, and iterating it twice does the work twice.
/// - A step passes through the stages in order. Each stage handles some kinds of steps and is skipped
///   for all others (``FetchStage``). The steps after the last stage are delivered.
/// - It ends after its last step, or throws once.
/// - Ending or cancelling the iteration cancels the work in progress.
public struct FetchChain: AsyncSequence, Sendable {
  /// A step of the fetch.
  public typealias Element = Fetch
  /// The failure of the fetch.
  public typealias Failure = FreshetError

  /// The steps that the stages begin with.
  enum Start: Sendable {
    case request(FetchContext)
    indirect case steps(any AsyncSequence<Fetch, FreshetError> & Sendable)
    /// No steps: the stages are edited before there is a request.
    case none
  }

  let start: Start
  let stages: StageList

  init(_ start: Start, _ stages: StageList) {
    self.start = start
    self.stages = stages
  }

  /// Creates a chain without stages from a sequence of steps; a chain is returned unchanged.
  public init(_ steps: some AsyncSequence<Fetch, FreshetError> & Sendable) {
    if let chain = steps as? FetchChain {
      self = chain
    } else {
      self.init(.steps(steps), StageList())
    }
  }

  /// Creates an iterator; nothing happens yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(run: FetchRun(self))
  }

  /// Pulls the steps of one run.
  public struct Iterator: AsyncIteratorProtocol {
    var run: FetchRun

    /// Waits for the next step; `nil` after the last one.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Fetch? {
      try await run.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension FetchChain.Iterator: Sendable {}

extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  /// Appends a stage.
  ///
  /// Any sequence of steps can be extended like this; the stages of a chain and those appended to it
  /// form one chain.
  ///
  /// - Parameter stage: The stage that handles the steps next.
  /// - Returns: A chain that ends with the stage.
  public func appending(_ stage: some FetchStage) -> FetchChain {
    let chain = FetchChain(self)
    let end = chain.stages.stages.count
    return chain.replacing(end..<end, with: [stage])
  }
}

// MARK: - Editing

extension FetchChain {
  /// The names of the stages, in order.
  public var stageNames: [StageName] { stages.names }

  /// The stages, in order.
  package var stageValues: [any FetchStage] { stages.stages }

  /// Inserts a stage before the first one with a name.
  ///
  /// - Parameters:
  ///   - stage: The new stage.
  ///   - name: The name of the stage that follows it. A chain without such a stage, because its policy
  ///     omits it, is returned unchanged.
  /// - Returns: The edited chain, whose fetches are not shared with those of other chains.
  public func inserting(_ stage: some FetchStage, before name: StageName) -> FetchChain {
    guard let index = stages.names.firstIndex(where: name.covers) else { return self }
    return replacing(index..<index, with: [stage])
  }

  /// Inserts a stage after the last one with a name.
  ///
  /// - Parameters:
  ///   - stage: The new stage.
  ///   - name: The name of the stage that precedes it. A chain without such a stage, because its policy
  ///     omits it, is returned unchanged.
  /// - Returns: The edited chain, whose fetches are not shared with those of other chains.
  public func inserting(_ stage: some FetchStage, after name: StageName) -> FetchChain {
    guard let index = stages.names.lastIndex(where: name.covers) else { return self }
    return replacing(index + 1..<index + 1, with: [stage])
  }

  /// Removes all stages with a name.
  ///
  /// - Parameter name: The name of the stages to remove.
  /// - Returns: The edited chain, whose fetches are not shared with those of other chains.
  public func removing(_ name: StageName) -> FetchChain {
    replacing(name, with: [])
  }

  /// Replaces each stage with a name.
  ///
  /// - Parameters:
  ///   - name: The name of the stages to replace.
  ///   - stage: The stage to use in place of each of them.
  /// - Returns: The edited chain, whose fetches are not shared with those of other chains.
  public func replacing(_ name: StageName, with stage: some FetchStage) -> FetchChain {
    replacing(name, with: [stage])
  }

  private func replacing(_ name: StageName, with stages: [any FetchStage]) -> FetchChain {
    self.stages.names.indices.reversed()
      .filter { name.covers(self.stages.names[$0]) }
      .reduce(self) { chain, index in chain.replacing(index..<index + 1, with: stages) }
  }

  func replacing(_ range: Range<Int>, with stages: [any FetchStage]) -> FetchChain {
    FetchChain(start, self.stages.replacing(range, with: stages))
  }
}

// MARK: - Description

extension FetchChain: PipelineDescribable, CustomStringConvertible {
  /// The request and the stages as they would be written in code, one per line.
  package var words: PipelineDescription {
    let beginning: PipelineDescription =
      switch start {
      case .request(let context): PipelineDescription("\(context.request)")
      case .steps(let steps): PipelineDescription(steps)
      case .none: PipelineDescription("chain")
      }
    return stages.stages.reduce(beginning) { $0.adding($1.stageDescription) }
  }
}
