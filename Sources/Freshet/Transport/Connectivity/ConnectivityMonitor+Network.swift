#if canImport(Network)
import Dispatch
import Network

/// Watches the network of an Apple device.
enum ConnectivityMonitor {
  /// The monitor of the process, which ends with it.
  private static let monitor = NWPathMonitor()

  /// Keeps the state up to date until the process ends; it is online until the monitor has reported once.
  static func start(_ connectivity: Connectivity) {
    monitor.pathUpdateHandler = { path in
      // A path that requires a connection is made by the first request.
      connectivity.update(path.status == .unsatisfied ? .offline : .online)
    }
    monitor.start(queue: DispatchQueue(label: "freshet-network"))
  }
}
#endif
