public import Freshet
public import FreshetEssentials
import Synchronization

/// A page in the browser that shows what clients do: their calls, stores and batches, and the reason for everything.
///
/// ```swift
/// let inspector = try await client.inspect()
/// // Freshet inspector: http://127.0.0.1:51344/W3k…/
/// ```
///
/// - Nothing is observed or served without an inspector. It ends with ``stop()``, or when it is released.
/// - It listens on 127.0.0.1 only. Each URL contains a random token; requests with another token, with the name of
///   another host in `Host`, or from a page of another origin are refused.
/// - It shows no secret that `Diagnostics` would not show, and no bodies by default. The clients' requests are kept in
///   memory, to repeat them.
/// - It keeps the newest calls, 1,000 by default; a page that falls behind skips changes in between and never slows a client.
/// - A client has one inspector; a later one takes the place of an earlier one.
public final class Inspector: Sendable {
  /// The options of an inspector.
  public struct Configuration: Sendable {
    /// The bodies that are shown; none by default.
    public var bodies = InspectedBodies.hidden
    /// The number of calls that are kept, from 1 to 100,000; 1,000 by default.
    public var capacity = 1_000
    /// The names in `Host` under which a server has mounted ``Inspector/response(to:)``, each with its port unless that
    /// is the scheme's; none by default.
    public var hosts: Set<String> = []
    /// A closure that gets the URL of the page as a line of text; by default it is printed to standard error.
    public var announce: @Sendable (String) -> Void = { line in
      StandardErrorSink.write(line)
    }
    /// The time between two updates of the page, at least 1 millisecond; 100 milliseconds by default.
    public var interval = Duration.milliseconds(100)
    /// The generator of the token; the system's by default.
    public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    /// The source of the current time; the system's by default.
    public var now: @Sendable () -> Date = { Date() }
  }

  let configuration: Configuration
  let recorder: Recorder
  let listing = StoreListing()
  let shows: LiveShows
  let token: String
  private let state = Mutex(State())

  private struct State {
    var clients: [InspectedClient] = []
    var modelStores: [InspectedModelStore] = []
    var listener: Listener?
    var isStopped = false
  }

  /// Creates an inspector that listens on no port, for mounting it in a server with ``response(to:)``.
  public init(_ configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration()
    configure(&configuration)
    configuration.interval = max(configuration.interval, .milliseconds(1))
    self.configuration = configuration
    recorder = Recorder(
      capacity: configuration.capacity,
      bodies: configuration.bodies,
      now: configuration.now
    )
    shows = LiveShows(recorder.versions)
    token = Self.token(&configuration.generator)
  }

  /// Creates an inspector that listens on a port of 127.0.0.1, and announces its URL.
  ///
  /// - Parameters:
  ///   - port: The port; 0 lets the system choose one.
  ///   - configure: A closure that changes the default options.
  /// - Throws: ``InspectorError`` if the port cannot be used.
  public convenience init(
    port: UInt16,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) throws(InspectorError) {
    self.init(configure)
    let listener = try Listener(port: port) { [weak self] request in
      await self?.response(to: request) ?? InspectorResponse(refused: .notFound)
    }
    state.withLock { $0.listener = listener }
    configuration.announce(announcement)
  }

  /// The URL of the page as a line of text.
  package var announcement: String { "Freshet inspector: \(url?.absoluteString ?? "stopped")" }

  deinit {
    stop()
  }

  private static func token(_ generator: inout some RandomNumberGenerator) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    // 43 letters of 6 bits are 258 random bits.
    let bytes = (0..<43).map { _ in letters[Int.random(in: 0..<64, using: &generator)] }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A client and its name on the page.
struct InspectedClient: Sendable {
  let number: Int
  var name: String
  let client: Client
  let observer: ClientRecorder
}

extension Inspector {
  /// The URL of the page; `nil` if it listens on no port, or has been stopped.
  public var url: URL? { port.flatMap { URL(string: "http://127.0.0.1:\($0)/\(token)/") } }

  /// The port; `nil` if it listens on none, or has been stopped.
  public var port: UInt16? { state.withLock { $0.listener?.port } }

  /// The path of the page, which a server that mounts the inspector appends to its own.
  public var path: String { "/\(token)/" }

  /// Observes a client and its copies from now on.
  ///
  /// A client that is added again, or a copy of it, is listed once, under its new name.
  ///
  /// - Parameters:
  ///   - client: The client; the inspector keeps it until it is stopped.
  ///   - name: The name on the page; by default the host of its base URL, or its number.
  public func add(_ client: Client, name: String? = nil) {
    let observer = state.withLock { state -> ClientRecorder? in
      guard !state.isStopped else { return nil }
      let index = state.clients.firstIndex { $0.client.isCopy(of: client) } ?? state.clients.count
      let number = index + 1
      let base = client.configuration.baseURL?.host(percentEncoded: false)
      let name = Printable.line(name ?? base ?? "client \(number)")
      if index < state.clients.count {
        state.clients[index].name = name
      } else {
        let observer = ClientRecorder(recorder, client: number)
        state.clients.append(
          InspectedClient(number: number, name: name, client: client, observer: observer)
        )
      }
      return state.clients[index].observer
    }
    guard let observer else { return }
    client.observe(by: observer)
    // It may have been stopped in the meantime.
    if state.withLock(\.isStopped) { client.endObservation(by: observer) }
  }

  /// Shows the newest value of a sequence on the page *Live*, such as the models of a query or the length of a queue.
  ///
  /// - Parameters:
  ///   - name: The name on the page; a later sequence of the same name takes the place of an earlier one.
  ///   - values: The values. Their descriptions are shown, up to 4 KiB.
  public func show<Values: AsyncSequence & Sendable>(_ name: String, _ values: Values)
  where Values.Element: Sendable {
    shows.add(Printable.line(name), values)
  }

  /// Ends the observation of all clients, and closes the port and all connections.
  public func stop() {
    let (clients, listener) = state.withLock { state in
      state.isStopped = true
      defer {
        state.clients = []
        state.modelStores = []
      }
      return (state.clients, state.listener.take())
    }
    for client in clients { client.client.endObservation(by: client.observer) }
    shows.stop()
    listener?.stop()
  }

  /// The number of open pages.
  var streamCount: Int { state.withLock(\.listener)?.streamCount ?? 0 }

  var clients: [InspectedClient] { state.withLock(\.clients) }

  var addedModelStores: [InspectedModelStore] { state.withLock(\.modelStores) }

  func add(_ store: InspectedModelStore) {
    state.withLock { state in
      guard !state.isStopped, !state.modelStores.contains(where: { $0.store === store.store })
      else {
        return
      }
      state.modelStores.append(store)
    }
  }

  func client(_ number: Int) -> Client? { clients.first { $0.number == number }?.client }
}

extension Client {
  /// Starts an inspector of this client and its copies, on a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - port: The port; by default the system chooses one.
  ///   - configure: A closure that changes the default options.
  /// - Returns: The inspector, which ends when it is released.
  /// - Throws: ``InspectorError`` if the port cannot be used.
  public func inspect(
    port: UInt16 = 0,
    _ configure: (inout Inspector.Configuration) -> Void = { _ in }
  ) async throws(InspectorError) -> Inspector {
    let inspector = try Inspector(port: port, configure)
    inspector.add(self)
    return inspector
  }
}

/// The reason why an ``Inspector`` cannot listen.
public struct InspectorError: Error, Hashable, CustomStringConvertible {
  /// The reason, in the words of the system.
  public let reason: String
  /// The port.
  public let port: UInt16

  /// The port and the reason.
  public var description: String { "the inspector cannot listen on port \(port): \(reason)" }
}
