#if !canImport(Darwin)
import Synchronization

/// The engine that a transport, its copies and its exchanges share; it starts and reaches the loop thread.
///
/// The loop never retains the engine, so that releasing the engine stops the loop.
final class CurlEngine: Sendable {
  let configuration: CurlTransport.Configuration
  private let pins: PinnedHosts
  private let loops = Mutex(Loops())
  private let lastID = Atomic<Int>(0)

  private struct Loops {
    /// The way to the loop that takes new exchanges.
    var mailbox: CurlMailbox?
    /// The ways to those that end with their last exchange.
    var retired: [Retired] = []
  }

  private struct Retired {
    weak var mailbox: CurlMailbox?
  }

  init(_ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
    pins = PinnedHosts(configuration.pins)
  }

  deinit {
    post(.stop)
  }

  func exchange(_ request: Request) -> CurlExchange {
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let exchange = CurlExchange(request, id: id, engine: self)
    if let problem = URLCheck.problem(with: request.url) {
      // libcurl would decode some hosts to other ones (see ``HostName``).
      exchange.finish(.failure(.invalidRequest(problem, url: exchange.shownURL)))
    }
    if let problem = pins.problem(with: request.url) {
      exchange.finish(.failure(.insecure(problem, url: exchange.shownURL)))
    }
    guard exchange.isOpen else { return exchange }
    do {
      try start(exchange)
    } catch {
      exchange.finish(.failure(.connection(.other(error.reason), url: exchange.shownURL)))
    }
    return exchange
  }

  func post(_ command: CurlMailbox.Command) {
    let (mailbox, retired) = loops.withLock { ($0.mailbox, $0.retired) }
    mailbox?.post(command)
    for loop in retired { loop.mailbox?.post(command) }
  }

  /// Lets the loop end when its exchanges have; returns after its end if it has none.
  func closeIdleConnections() async {
    await withCheckedContinuation { continuation in
      let isClosed = loops.withLock { loops in
        guard let mailbox = loops.mailbox.take() else { return false }
        loops.retired.removeAll { $0.mailbox == nil }
        loops.retired.append(Retired(mailbox: mailbox))
        mailbox.post(.retire { continuation.resume() })
        return true
      }
      if !isClosed { continuation.resume() }
    }
  }

  private func start(_ exchange: CurlExchange) throws(CurlFault) {
    // Posted under the lock: a loop that ends is told so after its last exchange.
    try loops.withLock { loops throws(CurlFault) in
      if let mailbox = loops.mailbox { return mailbox.post(.start(exchange)) }
      let mailbox = try CurlMailbox()
      try CurlThread.start(CurlLoop(configuration, mailbox))
      loops.mailbox = mailbox
      mailbox.post(.start(exchange))
    }
  }
}
#endif
