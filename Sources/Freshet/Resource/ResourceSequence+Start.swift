import Foundation

extension ResourceSequence {
  /// What the chain begins with: as much of it as needs no suspension.
  struct Start {
    let step: Fetch
    /// The stores that have not been asked yet.
    let rest: Lookups
    /// What memory had, if it was asked.
    var copy: StoredResponse?
    /// How many flights had landed before memory was asked, if that is known.
    var since: Int?

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
  func begin() throws(FreshetError) -> Start {
    guard !Task.isCancelled else { throw .cancelled }
    let settings = client.settings
    // A digest is compared before a copy is checked.
    guard policy.network != .required, policy.expected == nil, settings.configuration.seeds == nil,
      let memory = settings.configuration.memory
    else { return beginning }
    let copy = memory.peek(context.key, for: context.headers)
    let step = Fetch.Wanted(context).lookedUp(copy, in: .memory)
    guard case .found(let found) = step else { return Start(step: step, rest: .onlyDisk) }
    // A copy in memory is not looked for on the disk, whatever the check says of it.
    return Start(
      step: found.checked(
        policy.expiry,
        limits: policy.staleLimits,
        now: settings.configuration.now()
      ),
      rest: .none,
      copy: copy
    )
  }

  /// The start of a fetch that has not found anything yet.
  var beginning: Start {
    Start(
      step: .wanted(Fetch.Wanted(context)),
      rest: policy.network == .required ? .none : .all
    )
  }

  /// The start, if no flight has changed since what memory has; the beginning otherwise.
  ///
  /// To spare hits the registry, ``begin()`` does not look at the flights before it asks memory.
  func confirmed(_ start: Start) -> Start {
    guard start.rest != .all, policy.network != .required, let flights,
      let memory = client.settings.configuration.memory
    else { return start }
    var start = start
    start.since = flights.landings
    let copy = memory.peek(context.key, for: context.headers)
    return copy?.responseTime == start.copy?.responseTime ? start : beginning
  }

  /// The stages behind the start, under way.
  ///
  /// It is a class, so that the sequence and its iterator are a few references.
  final class Chain {
    private var iterator: Stages.AsyncIterator

    init(_ start: Start, of sequence: ResourceSequence) {
      iterator = sequence.stages(after: sequence.confirmed(start)).makeAsyncIterator()
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
  ///
  /// It fails as they do for an answer that there is no resource.
  func resource(_ policy: ResourcePolicy) throws(FreshetError) -> Resource? {
    guard case .resource(let resource) = step, policy.expected == nil else { return nil }
    return try resource.settled()
  }
}
