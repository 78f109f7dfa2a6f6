import Foundation
import Freshet

/// Accepts connections and moves their bytes, on one thread.
final class EventLoop {
  private static let wakeID = -1
  private static let listenerID = 0

  let configuration: LoopbackServer.Configuration
  let routes: RouteTable
  let log: Watched<ServerLog>
  let inbox: Inbox
  var timers = TimerHeap()

  private let poller: Poller
  private let listener: Int32
  private var connections: [Int: Connection] = [:]
  private var scratch = [UInt8](repeating: 0, count: 1 << 18)
  /// Connections with something to send that have had their turn.
  private var ready: [Int] = []
  private var date = (second: Int.min, text: "")

  init(
    listener: Int32,
    configuration: LoopbackServer.Configuration,
    routes: RouteTable,
    log: Watched<ServerLog>,
    inbox: Inbox,
    poller: Poller
  ) {
    self.listener = listener
    self.configuration = configuration
    self.routes = routes
    self.log = log
    self.inbox = inbox
    self.poller = poller
    poller.add(listener, id: Self.listenerID, .reading)
    poller.add(inbox.reading, id: Self.wakeID, .reading)
  }

  /// Runs until it is told to stop, then closes everything.
  func run() {
    var isRunning = true
    while isRunning {
      for event in poller.wait(milliseconds: timeout()) {
        switch event.id {
        case Self.wakeID: isRunning = obey() && isRunning
        case Self.listenerID: accept()
        default: connections[event.id].map { handle($0, event.interest) }
        }
      }
      fireTimers()
      let turn = ready
      ready = []
      for id in turn {
        connections[id].map { pump($0) }
      }
    }
    for connection in connections.values {
      close(connection)
    }
    Socket.close(listener)
    poller.close()
    inbox.close()
    log.update { $0.isStopped = true }
  }

  private func timeout() -> Int32 {
    guard ready.isEmpty else { return 0 }
    guard let next = timers.next else { return -1 }
    let milliseconds = (next - .now) / .milliseconds(1)
    return Int32(max(0, min(60_000, milliseconds.rounded(.up))))
  }

  /// Does what other threads want; `false` if that is to stop.
  private func obey() -> Bool {
    var isRunning = true
    for command in inbox.take() {
      switch command {
      case .resume(let id, let wait): resume(id, wait)
      case .stop: isRunning = false
      }
    }
    return isRunning
  }

  private func fireTimers() {
    guard timers.next != nil else { return }
    let now = ContinuousClock.now
    while let timer = timers.take(until: now) {
      if timer.connection == Self.listenerID {
        poller.change(listener, id: Self.listenerID, .reading)
      } else {
        resume(timer.connection, timer.wait)
      }
    }
  }

  private func resume(_ id: Int, _ wait: Int) {
    guard let connection = connections[id], connection.wait == wait else { return }
    if connection.isLingering {
      close(connection)
    } else {
      connection.waiting = .nothing
      pump(connection)
    }
  }

  private func accept() {
    do {
      while let socket = try Socket.accept(
        listener, sendBufferBytes: configuration.sendBufferBytes)
      {
        let id = log.update { $0.opened() }
        let parser = RequestParser(
          maximumHeadBytes: configuration.maximumHeadBytes,
          maximumBodyBytes: configuration.maximumBodyBytes)
        connections[id] = Connection(id: id, socket: socket, parser: parser)
        poller.add(socket, id: id, .reading)
      }
    } catch {
      // There are no descriptors left: the listener would be ready for ever. Looks again later.
      poller.change(listener, id: Self.listenerID, [])
      timers.add(
        TimerHeap.Timer(deadline: .now + .milliseconds(20), connection: Self.listenerID, wait: 0))
    }
  }

  /// What the `Date` field says now.
  func dateText() -> String {
    let now = configuration.now()
    let second = Int(now.timeIntervalSince1970.rounded(.down))
    if second != date.second { date = (second, DateText.text(now)) }
    return date.text
  }
}

// MARK: - Connections

extension EventLoop {
  private func handle(_ connection: Connection, _ events: Interest) {
    if events.contains(.reading) {
      receive(connection)
    }
    guard connections[connection.id] != nil else { return }
    if events.contains(.hangUp), !events.contains(.reading) {
      close(connection)
    } else {
      pump(connection)
    }
  }

  private func receive(_ connection: Connection) {
    let outcome = scratch.withUnsafeMutableBytes { buffer in
      let outcome = Socket.receive(connection.socket, into: buffer)
      if case .moved(let count) = outcome, !connection.isLingering {
        connection.parser.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      return outcome
    }
    guard case .ended = outcome else { return }
    connection.hasEnded = true
    // A client that has sent everything may still read; but one that goes while the server waits
    // has nothing to wait for.
    if connection.isWaiting || connection.isLingering {
      close(connection)
    }
  }

  /// Does all that can be done now: sends, goes on with the response, takes the next request.
  func pump(_ connection: Connection) {
    var budget = 1 << 20
    while connections[connection.id] != nil {
      fill(connection)
      let before = connection.sent
      guard flush(connection) else { break }
      budget -= connection.output.count - before
      connection.output.removeAll(keepingCapacity: true)
      connection.sent = 0
      if let ending = connection.ending {
        end(connection, ending)
        continue
      }
      if connection.isWaiting || connection.isLingering { break }
      if connection.plan == nil, !takeRequest(connection) { break }
      if budget <= 0 {
        ready.append(connection.id)
        break
      }
    }
    watch(connection)
  }

  /// Adds what the response has to the output, up to the next wait.
  private func fill(_ connection: Connection) {
    while connection.output.count < 1 << 18, !connection.isWaiting, connection.ending == nil,
      let step = connection.plan?.next(into: &connection.output, limit: 1 << 16)
    {
      switch step {
      case .bytes:
        break
      case .wait(let wait):
        begin(wait, connection)
      case .done(let ending):
        connection.plan = nil
        connection.ending = ending
      }
    }
  }

  /// Sends the output: `true` when all of it is on its way.
  private func flush(_ connection: Connection) -> Bool {
    while connection.sent < connection.output.count {
      let outcome = connection.output.withUnsafeBytes { bytes in
        Socket.send(connection.socket, UnsafeRawBufferPointer(rebasing: bytes[connection.sent...]))
      }
      switch outcome {
      case .moved(let count):
        connection.sent += count
        log.update { $0.wrote(count, connection: connection.id, path: connection.path) }
      case .wouldBlock:
        setBlocked(connection, true)
        return false
      case .ended:
        close(connection)
        return false
      }
    }
    setBlocked(connection, false)
    return true
  }

  private func setBlocked(_ connection: Connection, _ isBlocked: Bool) {
    guard connection.isBlocked != isBlocked else { return }
    connection.isBlocked = isBlocked
    log.update { $0.setBlocked(connection.path, isBlocked) }
  }

  private func begin(_ wait: LoopbackServer.Delivery.Wait, _ connection: Connection) {
    connection.wait += 1
    let (id, number) = (connection.id, connection.wait)
    switch wait {
    case .duration(let duration):
      connection.waiting = .timer
      timers.add(TimerHeap.Timer(deadline: .now + duration, connection: id, wait: number))
    case .gate(let gate):
      let ticket = gate.queue { [inbox] in
        inbox.post(.resume(connection: id, wait: number))
      }
      connection.waiting = ticket.map { .gate(gate, $0) } ?? .nothing
    }
    if connection.isWaiting, connection.hasEnded, connection.output.isEmpty {
      connection.ending = .close
    }
  }

  /// Ends a response whose bytes are all on their way.
  private func end(_ connection: Connection, _ ending: LoopbackServer.Ending) {
    connection.ending = nil
    switch ending {
    case .keepAlive:
      connection.head = nil
    case .stall:
      connection.waiting = .client
      if connection.hasEnded { close(connection) }
    case .reset:
      Socket.resetOnClose(connection.socket)
      close(connection)
    case .close:
      Socket.finishSending(connection.socket)
      guard !connection.hasEnded else { return close(connection) }
      // Closing with unread input would reset the connection and with it what was sent.
      connection.isLingering = true
      connection.wait += 1
      timers.add(
        TimerHeap.Timer(
          deadline: .now + .seconds(2), connection: connection.id, wait: connection.wait))
    }
  }

  private func watch(_ connection: Connection) {
    guard connections[connection.id] != nil else { return }
    var interest: Interest = connection.wantsInput ? .reading : []
    if connection.isBlocked { interest.insert(.writing) }
    guard interest != connection.interest else { return }
    connection.interest = interest
    poller.change(connection.socket, id: connection.id, interest)
  }

  func close(_ connection: Connection) {
    guard connections.removeValue(forKey: connection.id) != nil else { return }
    if case .gate(let gate, let ticket) = connection.waiting { gate.leave(ticket) }
    poller.remove(connection.socket)
    Socket.close(connection.socket)
    setBlocked(connection, false)
    log.update { $0.closed(connection.id) }
  }
}
