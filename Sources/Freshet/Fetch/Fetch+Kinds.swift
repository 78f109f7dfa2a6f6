extension Fetch {
  /// The kinds of steps that a stage handles, see ``FetchStage/handles``.
  public struct Kinds: OptionSet, Sendable, Hashable {
    /// The kinds as a bit mask.
    public let rawValue: UInt8

    /// Creates kinds from a bit mask.
    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Nothing has been found so far.
    public static let wanted = Kinds(rawValue: 1 << 0)
    /// A store has a copy.
    public static let found = Kinds(rawValue: 1 << 1)
    /// A copy must be validated.
    public static let expired = Kinds(rawValue: 1 << 2)
    /// Bytes have moved.
    public static let progress = Kinds(rawValue: 1 << 3)
    /// The network delivered something.
    public static let downloaded = Kinds(rawValue: 1 << 4)
    /// There is a resource to show.
    public static let resource = Kinds(rawValue: 1 << 5)
    /// An earlier stage has failed; not a step, see ``FetchStage/reply(to:)-(FreshetError)``.
    public static let failure = Kinds(rawValue: 1 << 6)

    /// All kinds of steps, without ``failure``.
    public static let all: Kinds = [.wanted, .found, .expired, .progress, .downloaded, .resource]
  }

  /// The kind of this step.
  public var kind: Kinds {
    switch self {
    case .wanted: .wanted
    case .found: .found
    case .expired: .expired
    case .progress: .progress
    case .downloaded: .downloaded
    case .resource: .resource
    }
  }
}

extension Fetch.Kinds {
  /// The kind of a step, as the documentation calls it.
  package var words: String {
    switch self {
    case .wanted: "wanted"
    case .found: "found"
    case .expired: "expired"
    case .progress: "progress"
    case .downloaded: "downloaded"
    case .resource: "resource"
    case .failure: "failure"
    default: ""
    }
  }
}
