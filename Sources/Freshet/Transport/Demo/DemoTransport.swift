public import Foundation

/// A transport that answers from files, at the pace and with the failures that its routes say.
///
/// - A transfer is like a real one: upload progress, a head after the latency, a body in chunks,
///   redirects followed, cancellation at any point, ``Request/Timeouts/total``.
/// - The first route that matches and is switched on answers. A request without one fails with
///   ``FreshetError/notStored(url:)``, or goes on to the real transport, see
///   ``Transport/demo(_:)``.
/// - Latency and failures follow from the generator alone: the same seed and the same order of
///   calls give the same demo. Each answered request draws twice.
///
/// ```swift
/// let demo = DemoTransport(directory: fixtures, routes: [
///   try DemoRoute("users", path: "users", success: .file("users.json"))
/// ])
/// let client = Client { $0.transport = demo }
/// ```
public struct DemoTransport: Transport {
  let files: DemoFiles
  private(set) var routes: [DemoRoute]
  let power: DemoSwitch
  let clock: CallClock
  let generator: SharedGenerator

  /// Makes a transport whose files are in a directory.
  ///
  /// - Parameters:
  ///   - directory: Where the files are.
  ///   - routes: What is answered.
  ///   - power: Turns routes on and off; all are on by default.
  ///   - clock: What latencies are waited on.
  ///   - generator: What latencies and failures are drawn from; give a seeded one to repeat a demo.
  public init(
    directory: URL,
    routes: [DemoRoute] = [],
    switchedBy power: DemoSwitch = DemoSwitch(),
    clock: any Clock<Duration> = ContinuousClock(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    files = DemoFiles(directory: directory)
    self.routes = routes
    self.power = power
    self.clock = CallClock(clock)
    self.generator = SharedGenerator(generator)
  }

  /// Makes a transport whose files are resources of a bundle.
  ///
  /// - Parameters:
  ///   - bundle: Whose resources.
  ///   - subdirectory: Where among them; at their top by default.
  ///   - routes: What is answered.
  ///   - power: Turns routes on and off; all are on by default.
  ///   - clock: What latencies are waited on.
  ///   - generator: What latencies and failures are drawn from.
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

  /// Describes the transfer of a request.
  public func send(_ request: Request) -> Transfer {
    send(request, otherwise: nil)
  }

  func send(_ request: Request, otherwise base: (any Transport)?) -> Transfer {
    Transfer(request, exchange: { EventExchange(DemoEvents(request: $0, demo: self, base: base)) })
  }

  /// The same demo with a route before its own.
  func answering(by route: DemoRoute?) -> DemoTransport {
    guard let route else { return self }
    var demo = self
    demo.routes.insert(route, at: 0)
    return demo
  }

  func route(for request: Request) -> DemoRoute? {
    routes.first { power.allows($0.name) && $0.matches(request) }
  }
}

extension Transport {
  /// Lets a demo answer the requests that it has a route for; the others go on as before.
  ///
  /// - Parameter demo: What answers.
  /// - Returns: A transport.
  public func demo(_ demo: DemoTransport) -> some Transport {
    DemoFallthrough(demo: demo, base: self)
  }
}

struct DemoFallthrough: Transport {
  let demo: DemoTransport
  let base: any Transport

  func send(_ request: Request) -> Transfer {
    demo.send(request, otherwise: base)
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    demo.route(for: request) == nil ? base.addedFields(for: request) : [:]
  }
}
