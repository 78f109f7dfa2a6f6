import Foundation

extension ResourceSequence {
  /// What the chain begins with: as much of it as needs no suspension.
  struct Start {
    let step: Fetch
    /// The stores that have not been asked yet.
    let rest: Lookups

    enum Lookups {
      case all
      case onlyDisk
      case none
    }
  }

  /// Takes the first steps: looks into the memory if that comes first, and checks what is there.
  ///
  /// The stages would do the same, once and in the same order; what they have not done is left to
  /// them.
  func start() throws(FreshetError) -> Start {
    guard !Task.isCancelled else { throw .cancelled }
    let wanted = Fetch.Wanted(context)
    guard policy.network != .required else { return Start(step: .wanted(wanted), rest: .none) }
    let configuration = client.settings.configuration
    guard configuration.seeds == nil, let memory = configuration.memory else {
      return Start(step: .wanted(wanted), rest: .all)
    }
    let response = memory.peek(context.key, for: context.request.headers)
    let step = wanted.lookedUp(response, in: .memory)
    guard case .found(let found) = step else { return Start(step: step, rest: .onlyDisk) }
    // A copy in memory is not looked for on the disk, whatever the check says of it.
    return Start(
      step: found.checked(policy.expiry, limits: policy.staleLimits, now: configuration.now()),
      rest: .none
    )
  }

  /// The stages behind the start, under way.
  ///
  /// It is a class, so that the sequence and its iterator are a few references.
  final class Chain {
    private var iterator: Stages.AsyncIterator

    init(_ start: Start, of sequence: ResourceSequence) {
      iterator = sequence.stages(after: start).makeAsyncIterator()
    }

    func next(
      isolation actor: isolated (any Actor)?
    ) async throws(FreshetError) -> Event<Resource>? {
      try await iterator.next(isolation: actor)
    }
  }
}

extension ResourceSequence.Start {
  /// The resource, if no stage that follows has anything to do with it.
  func resource(_ policy: ResourcePolicy) -> Resource? {
    guard case .resource(let resource) = step, policy.expected == nil else { return nil }
    return resource.answer
  }
}
