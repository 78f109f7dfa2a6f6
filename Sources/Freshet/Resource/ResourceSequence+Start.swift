import Foundation

extension ResourceSequence {
  /// What the chain begins with: as much of it as needs no suspension.
  struct Start: ~Copyable {
    /// What is still wanted, unless something has been found.
    let wanted: Fetch.Wanted
    /// What has been found; apart, because a step is large and most fetches have none here.
    var found: Found?
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

    /// The step that the stages begin with.
    var step: Fetch { found?.step ?? .wanted(wanted) }

    final class Found: Sendable {
      let step: Fetch

      init(_ step: Fetch) {
        self.step = step
      }
    }
  }

  /// What becomes of a fetch without a suspension.
  enum Beginning: ~Copyable {
    /// No stage that follows has anything to do with it.
    case answered(Resource)
    case started(Start)
  }

  /// Takes the first steps: looks into the memory if that comes first, and checks what is there.
  ///
  /// The stages would do the same, once and in the same order; what they have not done is left to
  /// them.
  ///
  /// - Throws: What they throw for an answer that there is no resource.
  func begin(_ context: FetchContext) throws(FreshetError) -> Beginning {
    guard !Task.isCancelled else { throw .cancelled }
    let settings = client.settings
    // A digest is compared before a copy is checked.
    guard policy.network != .required, policy.expected == nil, settings.configuration.seeds == nil,
      let memory = settings.configuration.memory
    else { return .started(beginning(of: context)) }
    let wanted = Fetch.Wanted(context)
    guard let copy = memory.peek(context.key, for: context.headers) else {
      return .started(Start(wanted: wanted.missed(in: .memory), rest: .onlyDisk))
    }
    let step = wanted.found(copy, in: .memory)
      .checked(policy.expiry, limits: policy.staleLimits, now: settings.configuration.now())
    if case .resource(let resource) = step {
      return .answered(try resource.settled())
    }
    // A copy in memory is not looked for on the disk, whatever the check says of it.
    var start = Start(wanted, behind: step)
    start.copy = copy
    return .started(start)
  }

  /// Whether the disk is asked before the stages are built: no other store is to be asked before it.
  var asksDisk: Bool {
    // The configuration is large, and would be copied to have a name.
    client.settings.configuration.disk != nil && client.settings.configuration.seeds == nil
      && policy.expected == nil && policy.network != .required
  }

  /// Asks the disk, where ``asksDisk`` says so and memory had nothing, and checks what is there.
  ///
  /// The stages would do that too, for three times the price: most of what a disk has is the answer.
  ///
  /// - Throws: What they throw for an answer that there is no resource.
  func lookOnDisk(after start: consuming Start) async throws(FreshetError) -> Beginning {
    let settings = client.settings
    guard let disk = settings.configuration.disk, start.rest != .none, start.found == nil else {
      return .started(start)
    }
    let wanted = start.wanted
    let (key, headers) = (wanted.context.key, wanted.context.headers)
    // A flight that lands from here on may have brought what the disk is about to say it has not.
    let since = flights?.landings
    guard let copy = await disk.find(key, for: headers, like: wanted.request.url) else {
      return .started(
        Start(wanted: wanted.missed(in: .disk), rest: .none, since: since)
      )
    }
    let step = wanted.found(copy, in: .disk)
      .checked(policy.expiry, limits: policy.staleLimits, now: settings.configuration.now())
    // The memory takes what comes from the disk, which is left to its stage.
    let isPromoted = policy.persistence != .nowhere && settings.configuration.memory != nil
    if case .resource(let resource) = step, !isPromoted {
      return .answered(try resource.settled())
    }
    var rest = Start(wanted, behind: step)
    rest.since = since
    return .started(rest)
  }

  /// The start of a fetch that has not found anything yet.
  var beginning: Start { beginning(of: context) }

  private func beginning(of context: FetchContext) -> Start {
    Start(wanted: Fetch.Wanted(context), rest: policy.network == .required ? .none : .all)
  }

  /// The start, if no flight has changed since what memory has; the beginning otherwise.
  ///
  /// To spare hits the registry, ``begin()`` does not look at the flights before it asks memory.
  func confirmed(_ start: consuming Start) -> Start {
    guard start.rest != .all, policy.network != .required, let flights,
      let memory = client.settings.configuration.memory
    else { return start }
    if start.since == nil { start.since = flights.landings }
    let copy = memory.peek(context.key, for: context.headers)
    return copy?.responseTime == start.copy?.responseTime ? start : beginning
  }
}

extension ResourceSequence.Start {
  /// The start with a step that no store is left to be asked after.
  fileprivate init(_ wanted: Fetch.Wanted, behind step: Fetch) {
    if case .wanted(let wanted) = step {
      self.init(wanted: wanted, rest: .none)
    } else {
      self.init(wanted: wanted, found: Found(step), rest: .none)
    }
  }
}
