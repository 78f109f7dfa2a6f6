#if !canImport(Darwin)
import Synchronization

/// The engine that a transport, its copies and its exchanges share; it starts and reaches the loop thread.
///
/// The loop never retains the engine, so that releasing the engine stops the loop.
final class CurlEngine: Sendable {
  let configuration: CurlTransport.Configuration
  private let pins: PinnedHosts
  private let mailbox = Mutex<CurlMailbox?>(nil)
  private let lastID = Atomic<Int>(0)

  init(_ configuration: CurlTransport.Configuration) {
    self.configuration = configuration
    pins = PinnedHosts(configuration.pins)
  }

  deinit {
    mailbox.withLock { $0 }?.post(.stop)
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
      try start().post(.start(exchange))
    } catch {
      exchange.finish(.failure(.connection(.other(error.reason), url: exchange.shownURL)))
    }
    return exchange
  }

  func post(_ command: CurlMailbox.Command) {
    mailbox.withLock { $0 }?.post(command)
  }

  private func start() throws(CurlFault) -> CurlMailbox {
    try mailbox.withLock { mailbox throws(CurlFault) in
      if let mailbox { return mailbox }
      let started = try CurlMailbox()
      try CurlThread.start(CurlLoop(configuration, started))
      mailbox = started
      return started
    }
  }
}
#endif
