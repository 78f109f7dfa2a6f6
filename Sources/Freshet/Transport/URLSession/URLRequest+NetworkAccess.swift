#if canImport(Darwin)
package import FreshetEssentials

extension URLRequest {
  /// Sets the kinds of network that it may use.
  package mutating func allow(_ networks: NetworkAccess) {
    allowsCellularAccess = networks.contains(.cellular)
    allowsExpensiveNetworkAccess = networks.contains(.expensive)
    allowsConstrainedNetworkAccess = networks.contains(.constrained)
  }
}
#endif
