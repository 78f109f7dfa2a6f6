public import FreshetEssentials

/// A transport that answers from files, with the latencies and failures of its routes.
///
/// - A transfer behaves like a real one: upload progress, a head after the latency, a body in chunks,
///   redirects, cancellation at any point, ``Request/Timeouts/total``.
/// - The first route that matches and is switched on answers. A request without one fails with
///   ``FreshetError/notStored(url:)`` if the demo is the transport (`$0.transport = demo`). It is sent by the
///   real transport if the demo is in front of it (`$0.demo = demo`, or ``Transport/demo(_:)``).
/// - The response that a call has of its own (``CallOptions/demo``) needs a client with `$0.demo = demo`.
/// - Latencies and failures only depend on the generator: the same seed and the same order of calls
///   give the same demo. Each answered request draws twice.
///
/// ```swift
/// let demo = DemoTransport(directory: fixtures, routes: [
///   try DemoRoute("users", path: "users", success: .file("users.json"))
/// ])
/// let client = Client { $0.transport = demo }
/// ```
public struct DemoTransport: Transport {
  let directory: URL
  private(set) var routes: [DemoRoute]
  let power: DemoSwitch
  let clock: CallClock
  let generator: SharedGenerator

  /// Creates a transport with files in a directory.
  ///
  /// - Parameters:
  ///   - directory: The directory with the files.
  ///   - routes: The routes, in the order in which they are tried; none by default.
  ///   - power: A switch for routes; all are on by default.
  ///   - clock: The clock that measures latencies.
  ///   - generator: The generator for latencies and failures; pass a seeded one to repeat a demo.
  public init(
    directory: URL,
    routes: [DemoRoute] = [],
    switchedBy power: DemoSwitch = DemoSwitch(),
    clock: any Clock<Duration> = ContinuousClock(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.directory = directory
    self.routes = routes
    self.power = power
    self.clock = CallClock(clock)
    self.generator = SharedGenerator(generator)
  }

  /// Returns a cold transfer of a request.
  public func send(_ request: Request) -> Transfer {
    send(request, otherwise: nil)
  }

  func send(_ request: Request, otherwise base: (any Transport)?) -> Transfer {
    var transfer = Transfer(hops: request) { DemoEvents(request: $0, demo: self, base: base) }
    // Nothing else ends the wait for a piece of a body.
    if case .stream? = request.body?.source { transfer.interruption = .byTask }
    return transfer
  }

  /// Returns the same demo with another route before its own.
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
  /// Answers the requests that a demo has a route for, and passes on the others.
  ///
  /// - Parameter demo: The demo.
  /// - Returns: A transport.
  public func demo(_ demo: DemoTransport) -> some Transport {
    DemoFallthrough(demo: demo, base: self)
  }
}

struct DemoFallthrough: TransportDecorator {
  let demo: DemoTransport
  let base: any Transport

  func send(_ request: Request) -> Transfer {
    demo.send(request, otherwise: base)
  }

  func addedFields(for request: Request) -> HTTPHeaders {
    demo.route(for: request) == nil ? base.addedFields(for: request) : [:]
  }
}
