/// The state of a network, to be read, awaited and followed.
///
/// ``system`` is that of this device. A client asks its ``Client/Configuration/connectivity`` before each request that
/// has ``Request/Timeouts/waitsForConnectivity``. A test makes one of its own, and changes it:
///
/// ```swift
/// let connectivity = Connectivity(.offline)
/// let client = Client { $0.connectivity = connectivity }
/// connectivity.update(.online)
/// ```
public final class Connectivity: Sendable {
  /// The state of a network.
  public enum State: String, Sendable, Hashable {
    /// There is an interface that may reach other hosts.
    case online
    /// There is none: no request leaves the device.
    case offline
  }

  let watched: Watched<State>

  /// Makes one that only ``update(_:)`` changes.
  ///
  /// - Parameter state: The state at first; online by default.
  public init(_ state: State = .online) {
    watched = Watched(state)
  }

  /// The state of the device's network, which is watched from the first use on.
  ///
  /// - On Linux: online while an interface other than the loopback is up and running and has an address that is
  ///   not link-local. Netlink tells about changes.
  /// - On Apple platforms: what `NWPathMonitor` says, for whose first report the first use waits, up to 100 ms.
  ///
  /// If the state cannot be watched, it stays online.
  public static let system: Connectivity = {
    let connectivity = Connectivity()
    ConnectivityMonitor.start(connectivity)
    return connectivity
  }()

  /// The state at this moment.
  public var state: State { watched.read { $0 } }

  /// Changes the state.
  public func update(_ state: State) {
    watched.update { $0 = state }
  }

  /// The state at this moment, then each other one.
  ///
  /// A slow reader misses states in between. The sequence ends when the reading task is cancelled.
  public var states: some AsyncSequence<State, Never> & Sendable {
    PulledSequence<State?, State, Never>(from: nil) { [watched] last in
      let former = last
      guard let state = await watched.first({ $0 == former ? nil : $0 }) else { return nil }
      last = state
      return state
    }
  }

  /// Waits until the network is online.
  ///
  /// - Throws: ``FreshetError/cancelled`` as soon as the task is cancelled.
  public func waitUntilOnline() async throws(FreshetError) {
    guard await watched.wait(until: { $0 == .online }) else { throw .cancelled }
  }
}
