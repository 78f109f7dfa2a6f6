/// The kinds of network that a request may use on Apple platforms.
///
/// A network may be of several kinds at once, and one that is of none of them is always allowed. A request that
/// finds no network which it may use fails with ``FreshetError/connection(_:url:)``, without being sent.
///
/// ```swift
/// request.networks.remove(.constrained)  // not in Low Data Mode
/// ```
///
/// Linux does not know of what kind its networks are: there, it has no effect.
public struct NetworkAccess: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Makes a set from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Cellular networks (`URLRequest.allowsCellularAccess`).
  public static let cellular = NetworkAccess(rawValue: 1)
  /// Networks that the system considers expensive, such as cellular ones and personal hotspots
  /// (`URLRequest.allowsExpensiveNetworkAccess`).
  public static let expensive = NetworkAccess(rawValue: 2)
  /// Networks in Low Data Mode (`URLRequest.allowsConstrainedNetworkAccess`).
  public static let constrained = NetworkAccess(rawValue: 4)
  /// All networks.
  public static let all: NetworkAccess = [.cellular, .expensive, .constrained]
}
