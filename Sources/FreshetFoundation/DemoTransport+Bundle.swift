public import Foundation
public import Freshet

extension DemoTransport {
  /// Creates a transport with files in the resources of a bundle.
  ///
  /// - Parameters:
  ///   - bundle: The bundle with the files.
  ///   - subdirectory: The subdirectory of the resources; the top level by default.
  ///   - routes: The routes, in the order in which they are tried; none by default.
  ///   - power: A switch for routes; all are on by default.
  ///   - clock: The clock that measures latencies.
  ///   - generator: The generator for latencies and failures.
  public init(
    bundle: Bundle,
    subdirectory: String = "",
    routes: [DemoRoute] = [],
    switchedBy power: DemoSwitch = DemoSwitch(),
    clock: any Clock<Duration> = ContinuousClock(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    let resources = bundle.resourceURL ?? bundle.bundleURL
    self.init(
      directory: subdirectory.isEmpty ? resources : resources.appending(path: subdirectory),
      routes: routes,
      switchedBy: power,
      clock: clock,
      generator: generator
    )
  }
}
