import Dispatch
import Freshet
import FreshetEssentials
import Synchronization

/// A small HTTP/1.1 server for one page: a thread per connection, and a few connections.
///
/// It reads requests without a body that matters, and answers each connection's requests one after the other. Its
/// threads keep it until ``stop()``.
final class Listener: Sendable {
  typealias Answer = @Sendable (InspectorRequest) async -> InspectorResponse

  fileprivate struct State {
    var listener: Int32?
    var connections: Set<Int32> = []
    /// The connections without a whole request so far, the oldest first.
    var silent: [Int32] = []
    var streams = 0
  }

  let port: UInt16
  private let answer: Answer
  private let patience: Duration
  private let state: Mutex<State>

  private static let maximumConnections = 32
  /// The longest time that a connection waits for its reader, in seconds.
  private static let readerPatience = 30

  /// Listens on a port of 127.0.0.1.
  ///
  /// - Parameters:
  ///   - port: The port, or 0 to let the system choose one.
  ///   - patience: The longest time from a connection, or from a response, to the end of the next request.
  ///   - answer: Returns the response to a request.
  /// - Throws: The failure of the system.
  init(
    port: UInt16,
    patience: Duration = .seconds(10),
    _ answer: @escaping Answer
  ) throws(InspectorError) {
    let descriptor: Int32
    (descriptor, self.port) = try ListeningSocket.listen(port: port)
    self.answer = answer
    self.patience = patience
    state = Mutex(State(listener: descriptor))
    do throws(DetachedThreadFailure) {
      try DetachedThread.start(name: "freshet.inspect") { [self] in
        while let connection = ListeningSocket.accept(descriptor, while: { isOpen }) {
          take(connection)
        }
        forgetListener()
        ListeningSocket.close(descriptor)
      }
    } catch {
      forgetListener()
      ListeningSocket.close(descriptor)
      throw InspectorError(reason: "no thread could be started", port: port)
    }
  }

  /// The number of pages that get changes now.
  var streamCount: Int { state.withLock(\.streams) }

  /// Closes the port and all connections.
  func stop() {
    state.withLock { state in
      if let listener = state.listener.take() { ListeningSocket.shutDown(listener) }
      // The thread of each closes it.
      for connection in state.connections { ListeningSocket.shutDown(connection) }
    }
  }

  private var isOpen: Bool { state.withLock { $0.listener != nil } }

  /// The listener is forgotten before it is closed, because its number may be given to another file then.
  private func forgetListener() {
    state.withLock { $0.listener = nil }
  }

  private func addStreams(_ change: Int) {
    state.withLock { $0.streams += change }
  }

  private func take(_ connection: Int32) {
    let isTaken = state.withLock { state in
      guard state.listener != nil, state.makeRoom(Self.maximumConnections) else { return false }
      state.silent.append(connection)
      return state.connections.insert(connection).inserted
    }
    guard isTaken else { return ListeningSocket.close(connection) }
    ListeningSocket.limitWaiting(connection, seconds: Self.readerPatience)
    do throws(DetachedThreadFailure) {
      try DetachedThread.start(name: "freshet.inspect") { [self] in
        serve(connection)
        forget(connection)
        ListeningSocket.close(connection)
      }
    } catch {
      forget(connection)
      ListeningSocket.close(connection)
    }
  }

  /// A descriptor is forgotten before it is closed, because its number may be given to another connection then.
  private func forget(_ connection: Int32) {
    state.withLock { state in
      state.connections.remove(connection)
      state.silent.removeAll { $0 == connection }
    }
  }

  /// Keeps a connection that has sent a whole request, however many others there are.
  private func hear(_ connection: Int32) {
    state.withLock { state in state.silent.removeAll { $0 == connection } }
  }
}

extension Listener.State {
  /// Ends the oldest connection without a request when there are too many, and returns whether there is room.
  fileprivate mutating func makeRoom(_ limit: Int) -> Bool {
    guard connections.count >= limit else { return true }
    guard !silent.isEmpty else { return false }
    let oldest = silent.removeFirst()
    connections.remove(oldest)
    // Its thread closes it.
    ListeningSocket.shutDown(oldest)
    return true
  }
}

// MARK: - Connections

extension Listener {
  private func serve(_ connection: Int32) {
    var parser = RequestReader()
    var end = ContinuousClock.now + patience
    while true {
      let request: InspectorRequest
      switch parser.next() {
      case .request(let next): request = next
      case .incomplete:
        guard ListeningSocket.isReadable(connection, before: end),
          let bytes = ListeningSocket.read(connection)
        else { return }
        parser.append(bytes)
        continue
      case .invalid(let status):
        let refusal = InspectorResponse(refused: status)
        _ = Self.send(refusal, Data(), to: connection, closes: true)
        return
      }
      hear(connection)
      let response = response(to: request)
      switch response.body {
      case .data(let data):
        // Refused requests from pages of other origins must not occupy the few connections.
        let closes = response.status.rawValue >= 400 || request.closes
        guard Self.send(response, data, to: connection, closes: closes), !closes else { return }
        end = .now + patience
      case .events(let events):
        addStreams(1)
        Self.stream(response, events, to: connection)
        addStreams(-1)
        return
      }
    }
  }

  /// Sends a response; `closes` says that it is the last one (RFC 9112 section 9.6).
  private static func send(
    _ response: InspectorResponse,
    _ data: Data,
    to connection: Int32,
    closes: Bool
  ) -> Bool {
    var fields = response.headers
    fields["Content-Length"] = String(data.count)
    if closes { fields["Connection"] = "close" }
    return ListeningSocket.write(head(response.status, fields) + data, to: connection)
  }

  private static func stream(
    _ response: InspectorResponse,
    _ events: InspectorEvents,
    to connection: Int32
  ) {
    var fields = response.headers
    fields["Connection"] = "close"
    guard ListeningSocket.write(head(response.status, fields), to: connection) else { return }
    var changes = events.changes
    repeat {
      guard let event = changes.next() else { continue }
      guard ListeningSocket.write(event, to: connection) else { return }
      // A client sends nothing after the request of a stream, so a readable socket has ended.
    } while !ListeningSocket.isReadable(connection, before: .now + events.interval)
  }

  private static func head(_ status: HTTPStatus, _ fields: HTTPHeaders) -> Data {
    let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Data("HTTP/1.1 \(status.rawValue) \r\n\(lines)\r\n".utf8)
  }

  private final class Outcome: Sendable {
    let response = Mutex<InspectorResponse?>(nil)
  }

  /// Waits for the response on a thread that may block.
  private func response(to request: InspectorRequest) -> InspectorResponse {
    let outcome = Outcome()
    let semaphore = DispatchSemaphore(value: 0)
    // What waits for nothing is answered although the app occupies every thread of the concurrency pool.
    Task.immediateIfAvailable { [answer] in
      let response = await answer(request)
      outcome.response.withLock { $0 = response }
      semaphore.signal()
    }
    while true {
      semaphore.wait()
      if let response = outcome.response.withLock(\.self) { return response }
    }
  }
}
