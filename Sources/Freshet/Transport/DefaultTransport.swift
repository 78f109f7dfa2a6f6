#if !canImport(Darwin)
/// The default transport of this platform.
public typealias DefaultTransport = CurlTransport
#else
/// The default transport of this platform.
public typealias DefaultTransport = URLSessionTransport
#endif

extension DefaultTransport {
  /// Creates a transport with the default configuration.
  public init() {
    self.init(configuration: Configuration())
  }

  /// Creates a transport with the default configuration, changed by a closure.
  public init(_ configure: (inout Configuration) -> Void) {
    var configuration = Configuration()
    configure(&configuration)
    self.init(configuration: configuration)
  }

  /// Returns a cold transfer of a request.
  public func send(_ request: Request) -> Transfer {
    Transfer(request, isResolved: false, interruption: .byExchange) { [engine] request in
      engine.exchange(request)
    }
  }
}
