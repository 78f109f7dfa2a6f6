public import FreshetEssentials

// Declarations that are easily written instead of the existing ones: the message is the compiler's error.

extension Client {
  /// Unavailable: nothing is global.
  @available(
    *,
    unavailable,
    message: "there is no shared client: make one with `Client { … }` and pass it on"
  )
  public static var shared: Client { Client() }

  /// Unavailable: the base URL is a part of the configuration.
  @available(*, unavailable, message: "write `Client { $0.baseURL = url }`")
  public init(baseURL: URL) {
    self.init { $0.baseURL = baseURL }
  }

  /// Unavailable: the URL has a label.
  @available(*, unavailable, message: "write `client.resource(at: url)`")
  public func resource(_ url: URL, policy: ResourcePolicy? = nil) -> ResourceSequence {
    resource(at: url, policy: policy)
  }

  /// Unavailable: it takes a URL.
  @available(
    *,
    unavailable,
    message: "a text may not be a URL: write `client.resource(try Request(text))`"
  )
  public func resource(at text: String, policy: ResourcePolicy? = nil) -> ResourceSequence {
    resource(.get(RequestPath(raw: text)), policy: policy)
  }

  /// Unavailable: it takes a request.
  @available(*, unavailable, message: "use `client.call(endpoint)` for an endpoint")
  public func send<Call: Endpoint>(_ endpoint: Call) -> CallSequence<Call.Output, Call.Failure> {
    call(endpoint)
  }

  /// Unavailable: it takes an endpoint.
  @available(*, unavailable, message: "use `client.send(request)` for a request")
  public func call(_ request: Request) -> ResponseSequence {
    send(request)
  }

  /// Unavailable: the method belongs to the request.
  @available(*, unavailable, message: "write `client.send(.get(path))`")
  public func get(_ path: RequestPath) -> ResponseSequence {
    send(.get(path))
  }

  /// Unavailable: the policy is an option.
  @available(*, unavailable, message: "write `client.send(request) { $0.cache = policy }`")
  public func send(_ request: Request, policy: ResourcePolicy) -> ResponseSequence {
    send(request) { $0.cache = policy }
  }

  /// Unavailable: header fields belong to the request.
  @available(*, unavailable, message: "write `client.send(.get(path, headers: headers))`")
  public func send(_ request: Request, headers: HTTPHeaders) -> ResponseSequence {
    send(request)
  }
}
