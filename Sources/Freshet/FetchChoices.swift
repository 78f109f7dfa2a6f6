/// How a fetch goes about it: what many fetches have in common.
///
/// It is shared, so that a sequence is a few references however many choices there are.
final class FetchChoices: Sendable {
  let policy: ResourcePolicy
  let route: Route
  /// How much of an error response's body is kept, in bytes; `nil` for the default.
  let errorBodyLimit: Int?
  /// What the fetches of a host have in common, which belong to one client; made by the first one.
  let led = LazyReference<LedStages>()

  /// Over what they go; no optional, which would be dearer to look at.
  enum Route {
    case client
    /// That of a call with options of its own.
    case own(any Transport)
  }

  init(
    _ policy: ResourcePolicy,
    over route: Route = .client,
    errorBodyLimit: Int? = nil
  ) {
    self.policy = policy
    self.route = route
    self.errorBodyLimit = errorBodyLimit
  }
}

/// Fetches with the same choices may share what they do; one with a transport of its own never does,
/// and so the transports are not compared.
extension FetchChoices: Hashable {
  static func == (left: FetchChoices, right: FetchChoices) -> Bool {
    left === right
      || left.policy == right.policy && left.errorBodyLimit == right.errorBodyLimit
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(policy)
    hasher.combine(errorBodyLimit)
  }
}
