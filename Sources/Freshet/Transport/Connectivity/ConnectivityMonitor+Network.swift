#if canImport(Network)
import Dispatch
import Network

/// Watches the network of an Apple device.
enum ConnectivityMonitor {
  /// The monitor of the process, which ends with it.
  private static let monitor = NWPathMonitor()

  /// Keeps the state up to date until the process ends.
  ///
  /// It waits up to a tenth of a second for the first report, before which the state is online.
  static func start(_ connectivity: Connectivity) {
    let reported = DispatchSemaphore(value: 0)
    monitor.pathUpdateHandler = { path in
      // A path that requires a connection is made by the first request.
      connectivity.update(path.status == .unsatisfied ? .offline : .online)
      reported.signal()
    }
    monitor.start(queue: DispatchQueue(label: "freshet-network", qos: .userInitiated))
    _ = reported.wait(timeout: .now() + .milliseconds(100))
  }
}
#endif
