import Dispatch
import Foundation
import Freshet
import Synchronization

// The samples of *On a server*. None of the packages whose types they use is a dependency: the stubs below have the public
// signatures of swift-log, swift-metrics, swift-distributed-tracing and Vapor that the samples call.

struct ServerSamples: Sendable {
  struct User: Codable, Sendable {
    var name: String
  }

  func makeClient(_ base: URL, cache: URL, diagnostics: Diagnostics) -> Client {
    Client {
      $0.baseURL = base
      $0.transport = DefaultTransport().intercepted(by: TraceContextInterceptor())
      $0.query = ["api-version": "2"]
      $0.timeouts.connect = .seconds(2)
      $0.timeouts.firstByte = .seconds(5)
      $0.deadline = .seconds(20)
      $0.retry = .standard
      $0.scheduler = RequestScheduler { $0.perHost = 32 }
      $0.disk = DiskStore(directory: cache) { $0.byteLimit = 1 << 30 }
      $0.memory = MemoryStore { $0.costLimit = 64 << 20 }
      $0.diagnostics = diagnostics
    }
  }

  #if !canImport(Darwin)
  func unixSocket() -> Client {
    let docker = Client {
      $0.baseURL = URL(string: "http://localhost/v1.43/")
      $0.transport = CurlTransport { $0.unixSocket = URL(filePath: "/var/run/docker.sock") }
    }
    return docker
  }

  func urlsOfOthers() -> Client {
    let previews = Client {
      $0.transport = CurlTransport {
        $0.proxy = .none
        $0.allowsAddress = { $0.isPublic }
      }
    }
    return previews
  }

  func plainHTTP2() -> Client {
    let backend = Client {
      $0.transport = CurlTransport { $0.networkProtocol = .http2PriorKnowledge }
    }
    return backend
  }

  func crawl(_ pages: [URL], over transport: CurlTransport) async throws -> Int {
    let client = Client { $0.transport = transport }
    return try await withTaskExecutorPreference(transport.taskExecutor) {
      var count = 0
      for page in pages {
        let response = try await client.send(Request(page)).value
        count += response.body.count
      }
      return count
    }
  }
  #endif

  func runDaemon(_ client: Client) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await poll(client) }
      group.addTask { await termination() }
      _ = try await group.next()
      group.cancelAll()
    }
    await client.shutdown(grace: .seconds(10))
  }

  func poll(_ client: Client) async throws {
    while true {
      let jobs = try await client.send(.get("jobs")).decode([String].self).value.value
      for job in jobs { print(job) }
      try await Task.sleep(for: .seconds(5))
    }
  }

  /// Waits for SIGTERM or SIGINT, which no longer end the process.
  func termination() async {
    let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGTERM, SIGINT]
      .map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { continuation.yield() }
        source.activate()
        return source
      }
    for await _ in signals { break }
    for source in sources { source.cancel() }
  }

  func addRoutes(to app: Application, _ client: Client) {
    app.get("users", ":id") { request in
      let id = try request.parameters.require("id", as: Int.self)
      let parent = TraceContext(traceparent: request.headers.first(name: "traceparent") ?? "")
      return try await TraceContext.$current.withValue(parent) {
        do throws(FreshetError) {
          return try await client.send(.get("users/\(id)")).decode(User.self).value.value
        } catch {
          throw abort(for: error)
        }
      }
    }
  }

  /// Returns the response to our caller after a failure of the service behind us.
  func abort(for error: FreshetError) -> Abort {
    switch error {
    case .status(let head, _) where head.status == .notFound: Abort(.notFound)
    case .timedOut: Abort(.gatewayTimeout)
    case .shutDown: Abort(.serviceUnavailable)
    case .connection(.suspended(let pause), _):
      Abort(.serviceUnavailable, headers: ["Retry-After": "\(pause.components.seconds + 1)"])
    default: Abort(.badGateway)
    }
  }

  func passOn(
    _ request: Request,
    over transport: some Transport,
    to caller: some Caller
  ) async throws {
    var request = request
    request.headers = request.headers.withoutHop
    if !request.headers.contains(.acceptEncoding) { request.headers[.acceptEncoding] = "identity" }
    request.redirects = .none
    for try await event in transport.send(request) {
      switch event {
      case .head(let head): try await caller.begin(head.status, head.headers.withoutHop)
      case .body(let bytes): try await caller.send(bytes)
      default: break
      }
    }
    try await caller.end()
  }

  func deliver(_ hook: Request, over client: Client) async throws -> (HTTPStatus, Data) {
    var chunks = client.stream(hook).makeAsyncIterator()
    do throws(FreshetError) {
      let head = try await chunks.head()
      var start = Data()
      while start.count < 4096, let chunk = try await chunks.next() { start += chunk }
      return (head.status, start.prefix(4096))
    } catch .status(let head, let body) {
      return (head.status, body.prefix(4096))
    } catch {
      throw error
    }
  }

  struct Upstreams {
    let models = Client {
      $0.baseURL = URL(string: "https://models.example.org/v1/")
      $0.transport = DefaultTransport { $0.maximumConnectionsPerHost = 256 }
      $0.scheduler = RequestScheduler { $0.perHost = 256 }
      $0.timeouts.firstByte = .seconds(120)
    }
    let accounts = Client {
      $0.baseURL = URL(string: "https://accounts.example.org/")
      $0.scheduler = RequestScheduler { $0.perHost = 16 }
      $0.deadline = .seconds(2)
      $0.retry = .standard
    }
  }

  struct SharedCacheRules: Interceptor {
    func intercept(
      _ request: Request,
      next: @escaping @Sendable (Request) -> Transfer
    ) -> Transfer {
      next(request)
        .mapEvents { event in
          guard case .head(var head) = event else { return event }
          var directives = head.headers.members(of: .cacheControl).map { $0.lowercased() }
          if let shared = directives.first(where: { $0.hasPrefix("s-maxage=") }) {
            directives.removeAll { $0.hasPrefix("max-age=") }
            directives += ["max-age=" + shared.dropFirst("s-maxage=".count), "must-revalidate"]
          }
          let isPersonal = directives.contains { $0.hasPrefix("private") }
          if isPersonal || head.headers.contains(.setCookie) { directives.append("no-store") }
          head.headers[.cacheControl] =
            directives.isEmpty ? nil : directives.joined(separator: ", ")
          return .head(head)
        }
    }
  }

  struct InstrumentInterceptor: Interceptor {
    struct Fields: Injector {
      func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
        headers[HTTPHeaders.Name(key)] = value
      }
    }

    func intercept(
      _ request: Request,
      next: @escaping @Sendable (Request) -> Transfer
    ) -> Transfer {
      Transfer(request) { () async throws(FreshetError) in
        var request = request
        if let context = ServiceContext.current {
          InstrumentationSystem.instrument
            .inject(context, into: &request.headers, using: Fields())
        }
        return next(request)
      }
    }
  }

  final class SpanSink: DiagnosticSink {
    private let spans = Mutex<[Int: any Span]>([:])

    func receive(_ diagnostic: Diagnostic) {
      switch diagnostic.occurrence {
      case .started:
        let span = startSpan("\(diagnostic.method)", ofKind: .client)
        span.attributes["http.request.method"] = "\(diagnostic.method)"
        span.attributes["url.full"] = diagnostic.url
        spans.withLock { $0[diagnostic.call] = span }
      case .answered(let status):
        let span = spans.withLock { $0[diagnostic.call] }
        span?.attributes["http.response.status_code"] = status.rawValue
      case .retrying(let attempt, _, _):
        let span = spans.withLock { $0[diagnostic.call] }
        span?.attributes["http.request.resend_count"] = attempt - 1
      case .failed(let kind, _):
        let span = spans.withLock { $0.removeValue(forKey: diagnostic.call) }
        span?.attributes["error.type"] = kind
        span?.setStatus(SpanStatus(code: .error))
        span?.end()
      case .cancelled, .finished:
        spans.withLock { $0.removeValue(forKey: diagnostic.call) }?.end()
      case .requested, .responded, .redirected, .waitingForConnectivity:
        break
      }
    }
  }

  struct LogSink: DiagnosticSink {
    let logger: Logger

    func receive(_ diagnostic: Diagnostic) {
      logger.log(
        level: level(of: diagnostic),
        "\(diagnostic)",
        metadata: ["call": "\(diagnostic.call)", "method": "\(diagnostic.method)"]
      )
    }

    private func level(of diagnostic: Diagnostic) -> Logger.Level {
      switch diagnostic.level {
      case .trace: .trace
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      }
    }
  }

  struct MetricsSink: DiagnosticSink {
    func receive(_ diagnostic: Diagnostic) {
      let host = ("host", URL(string: diagnostic.url)?.host() ?? "")
      switch diagnostic.occurrence {
      case .finished(let status, let metrics):
        let result = ("status", status.map { "\($0.rawValue)" } ?? "none")
        Counter(label: "http_client_requests", dimensions: [host, result]).increment()
        Timer(label: "http_client_duration", dimensions: [host])
          .recordNanoseconds(Int64(metrics.total / .nanoseconds(1)))
        Counter(label: "http_client_received_bytes", dimensions: [host])
          .increment(by: metrics.bytesReceived)
      case .failed(let kind, _):
        Counter(label: "http_client_failures", dimensions: [host, ("kind", kind)]).increment()
      case .retrying:
        Counter(label: "http_client_retries", dimensions: [host]).increment()
      case .started, .requested, .responded, .redirected, .answered, .cancelled,
        .waitingForConnectivity:
        break
      }
    }
  }

  func observe(_ client: Client, every interval: Duration) async throws {
    while true {
      Gauge(label: "http_client_running").record(client.activity.count)
      Gauge(label: "http_client_waiting").record(client.configuration.scheduler.waitingCount)
      try await Task.sleep(for: interval)
    }
  }

  func makeDiagnostics() -> Diagnostics {
    let sinks: [any DiagnosticSink] = [
      LogSink(logger: Logger(label: "http.client")), MetricsSink(), SpanSink(),
    ]
    return Diagnostics(sinks: sinks)
  }

  // MARK: - swift-log

  struct Logger: Sendable {
    enum Level: Sendable { case trace, debug, info, notice, warning, error, critical }
    typealias Metadata = [String: String]

    let label: String

    func log(level: Level, _ message: @autoclosure () -> String, metadata: Metadata? = nil) {}
  }

  // MARK: - swift-metrics

  struct Counter {
    init(label: String, dimensions: [(String, String)] = []) {}
    func increment() {}
    func increment(by amount: some BinaryInteger) {}
  }

  struct Gauge {
    init(label: String, dimensions: [(String, String)] = []) {}
    func record(_ value: some BinaryInteger) {}
  }

  struct Timer {
    init(label: String, dimensions: [(String, String)] = []) {}
    func recordNanoseconds(_ duration: Int64) {}
  }

  // MARK: - swift-distributed-tracing

  struct ServiceContext: Sendable {
    @TaskLocal static var current: ServiceContext?
  }

  protocol Injector: Sendable {
    associatedtype Carrier: Sendable
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
  }

  struct Instrument {
    func inject<Carrier, Inject: Injector>(
      _ context: ServiceContext,
      into carrier: inout Carrier,
      using injector: Inject
    ) where Inject.Carrier == Carrier {
      injector.inject(
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        forKey: "traceparent",
        into: &carrier
      )
    }
  }

  enum InstrumentationSystem {
    static var instrument: Instrument { Instrument() }
  }

  protocol SpanAttributeConvertible: Sendable {}

  struct SpanAttributes: Sendable {
    subscript(name: String) -> (any SpanAttributeConvertible)? {
      get { nil }
      set { _ = newValue }
    }
  }

  struct SpanStatus: Sendable {
    enum Code: Sendable { case ok, error }
    let code: Code
  }

  enum SpanKind: Sendable { case client }

  protocol Span: Sendable {
    var attributes: SpanAttributes { get nonmutating set }
    func setStatus(_ status: SpanStatus)
    func end()
  }

  struct NoSpan: Span {
    var attributes: SpanAttributes {
      get { SpanAttributes() }
      nonmutating set { _ = newValue }
    }
    func setStatus(_ status: SpanStatus) {}
    func end() {}
  }

  // MARK: - Vapor

  struct Abort: Error {
    enum Status: Sendable { case notFound, gatewayTimeout, serviceUnavailable, badGateway }
    init(_ status: Status, headers: [String: String] = [:]) {}
  }

  protocol Caller: Sendable {
    func begin(_ status: HTTPStatus, _ headers: HTTPHeaders) async throws
    func send(_ bytes: Data) async throws
    func end() async throws
  }

  struct IncomingRequest: Sendable {
    struct Fields: Sendable {
      func first(name: String) -> String? { nil }
    }
    struct Parameters: Sendable {
      func require<Value: LosslessStringConvertible>(
        _ name: String,
        as type: Value.Type
      ) throws
        -> Value
      {
        guard let value = Value("7") else { throw Abort(.notFound) }
        return value
      }
    }
    let headers = Fields()
    let parameters = Parameters()
  }

  struct Application {
    func get<Value>(
      _ path: String...,
      use closure: @escaping @Sendable (IncomingRequest) async throws -> Value
    ) {}
  }
}

extension HTTPHeaders {
  /// The fields without those that are for one connection only (RFC 9110 section 7.6.1).
  var withoutHop: HTTPHeaders {
    let always: [Name] = [
      .connection, "Proxy-Connection", .keepAlive, .te, .trailer, .transferEncoding, .upgrade,
    ]
    let names = Set(always + members(of: .connection).map { Name($0) })
    return HTTPHeaders(filter { !names.contains($0.name) })
  }
}

extension String: ServerSamples.SpanAttributeConvertible {}
extension Int: ServerSamples.SpanAttributeConvertible {}

private func startSpan(
  _ name: String,
  ofKind kind: ServerSamples.SpanKind
) -> any ServerSamples.Span {
  ServerSamples.NoSpan()
}
