public import Foundation

// Declarations that are easily written instead of the existing ones: the message is the compiler's error.

extension Client {
  /// Unavailable: nothing is global.
  @available(
    *,
    unavailable,
    message: "nothing is global: make a client with `Client { … }` and hand it to who needs it"
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
    message: "a text may be no URL: write `client.resource(try Request(text))`"
  )
  public func resource(at text: String, policy: ResourcePolicy? = nil) -> ResourceSequence {
    resource(.get(RequestPath(raw: text)), policy: policy)
  }

  /// Unavailable: it takes a request.
  @available(*, unavailable, message: "an endpoint is called: write `client.call(endpoint)`")
  public func send<Call: Endpoint>(_ endpoint: Call) -> CallSequence<Call.Output, Call.Failure> {
    call(endpoint)
  }

  /// Unavailable: it takes an endpoint.
  @available(*, unavailable, message: "a request is sent: write `client.send(request)`")
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
