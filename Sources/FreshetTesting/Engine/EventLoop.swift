import Freshet
import FreshetEssentials

/// Accepts connections and transfers their bytes, on one thread.
final class EventLoop {
  private static let wakeID = -1
  private static let listenerID = 0

  let configuration: LoopbackServer.Configuration
  let routes: RouteTable
  let log: Watched<ServerLog>
  let inbox: Inbox
  var timers = TimerHeap()

  let poller: Poller
  private let listener: Int32
  var connections: [Int: Connection] = [:]
  var scratch = [UInt8](repeating: 0, count: 1 << 18)
  /// The connections with more to send that wait for their next turn.
  var ready: [Int] = []
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

  /// Runs until it receives the command to stop, and then closes everything.
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
  }

  private func timeout() -> Int32 {
    guard ready.isEmpty else { return 0 }
    guard let next = timers.next else { return -1 }
    let milliseconds = (next - .now) / .milliseconds(1)
    return Int32(max(0, min(60_000, milliseconds.rounded(.up))))
  }

  /// Executes the commands of other threads; returns `false` if it should stop.
  private func obey() -> Bool {
    var isRunning = true
    for command in inbox.take() {
      switch command {
      case .resume(let id, let wait): resume(id, wait)
      case .pump(let id): connections[id].map { pump($0) }
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
        listener,
        sendBufferBytes: configuration.sendBufferBytes
      ) {
        let id = log.update { $0.opened() }
        let parser = RequestParser(
          maximumHeadBytes: configuration.maximumHeadBytes,
          maximumBodyBytes: configuration.maximumBodyBytes
        )
        connections[id] = Connection(id: id, socket: socket, parser: parser)
        poller.add(socket, id: id, .reading)
      }
    } catch {
      // There are no descriptors left, and the listener would always be ready: try again later.
      poller.change(listener, id: Self.listenerID, [])
      timers.add(
        TimerHeap.Timer(deadline: .now + .milliseconds(20), connection: Self.listenerID, wait: 0)
      )
    }
  }

  /// Returns the current value of the `Date` field.
  func dateText() -> String {
    let now = configuration.now()
    let second = Int(now.timeIntervalSince1970.rounded(.down))
    if second != date.second { date = (second, HTTPDate.format(now)) }
    return date.text
  }
}
