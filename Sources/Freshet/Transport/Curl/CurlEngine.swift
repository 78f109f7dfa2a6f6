#if !canImport(Darwin)
import Synchronization

/// The engine that a transport, its copies and its exchanges share; it starts and reaches the loop threads.
///
/// The loops never retain the engine, so that releasing the engine stops them.
final class CurlEngine: Sendable {
  let configuration: CurlTransport.Configuration
  private let pins: PinnedHosts
  private let configurationProblem: String?
  private let loops: Mutex<Loops>
  private let lastID = Atomic<Int>(0)

  private struct Loops {
    /// The loops that take new exchanges; a loop starts with its first one.
    var runners: [CurlRunner?]
    /// The loop of each host; `nil` if there is only one loop.
    var placement: CurlPlacement?
    /// The loop that gets the next job of a task on another thread.
    var next = 0
  }

  init(_ configuration: CurlTransport.Configuration) {
    var configuration = configuration
    if !configuration.mayUseProxy() { configuration.proxy = .none }
    self.configuration = configuration
    pins = PinnedHosts(configuration.pins)
    configurationProblem = configuration.socketProblem ?? configuration.userAgentProblem
    let count = configuration.loopCount
    loops = Mutex(
      Loops(
        runners: Array(repeating: nil, count: count),
        placement: count > 1 ? CurlPlacement(loops: count) : nil
      )
    )
  }

  deinit {
    // Those that were retired end with their last exchange, which would retain the engine.
    loops.withLock { loops in
      for runner in loops.runners { runner?.mailbox.post(.stop) }
    }
  }

  func exchange(_ request: Request) -> CurlExchange {
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let exchange = CurlExchange(request, id: id, engine: self)
    // libcurl would decode some hosts to other ones (see ``HostName``).
    let problem =
      URLCheck.problem(with: request.url) ?? exchange.url.problem ?? configurationProblem
      ?? (configuration.speaksPlainHTTP2 ? nil : request.versionProblem)
    if let problem {
      exchange.finish(.failure(.invalidRequest(problem, url: exchange.shownURL)))
    } else if let problem = pins.problem(with: request.url) {
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

  /// A Boolean value that indicates whether no request goes through a proxy.
  var isDirect: Bool { configuration.proxy == .none }

  /// Lets the loops end when their exchanges have; returns after the end of those that have none.
  func closeIdleConnections() async {
    for index in 0..<configuration.loopCount { await retireLoop(index) }
  }

  private func retireLoop(_ index: Int) async {
    await withCheckedContinuation { continuation in
      let isClosed = loops.withLock { loops in
        guard let mailbox = loops.runners[index].take()?.mailbox else { return false }
        return mailbox.post(.retire { continuation.resume() })
      }
      if !isClosed { continuation.resume() }
    }
  }

  private func start(_ exchange: CurlExchange) throws(CurlFault) {
    // Added under the lock: a loop that ends is told so after its last exchange.
    let (runner, addition) = try loops.withLock {
      loops throws(CurlFault) -> (CurlRunner, CurlMailbox.Addition) in
      let index = loops.placement?.loop(for: exchange.request.host) ?? 0
      let runner = try self.runner(of: index, in: &loops)
      loops.placement?.enter(exchange.request.host)
      return (runner, exchange.begin(at: runner.mailbox))
    }
    runner.attend(addition)
  }

  /// Returns a loop, which is started if it does not run or has failed.
  private func runner(of index: Int, in loops: inout Loops) throws(CurlFault) -> CurlRunner {
    if let running = loops.runners[index], !running.mailbox.isClosed { return running }
    let runner = try CurlRunner(configuration)
    try runner.start()
    loops.runners[index] = runner
    return runner
  }

  /// Notes that an exchange that had begun is gone.
  func leave(_ exchange: CurlExchange) {
    guard configuration.loopCount > 1 else { return }
    loops.withLock { $0.placement?.leave(exchange.request.host) }
  }
}

// MARK: - Executor

extension CurlEngine: TaskExecutor {
  /// Runs a job on the loop of the current thread; from other threads, on the loops in turn.
  ///
  /// A task retains the executor that it prefers, so that no job comes after the engine.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    // The job may end its task and release the engine, whose deinitializer takes the lock too.
    let isTaken = try? loops.withLock { loops throws(CurlFault) in
      let index = indexForJob(in: &loops)
      return try runner(of: index, in: &loops).mailbox.post(.run(job, executor))
    }
    // The loop could not be started, or has failed.
    if isTaken != true { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  private func indexForJob(in loops: inout Loops) -> Int {
    guard loops.runners.count > 1 else { return 0 }
    if let current = loops.runners.firstIndex(where: { $0?.mailbox.isCurrent == true }) {
      return current
    }
    defer { loops.next = (loops.next + 1) % loops.runners.count }
    return loops.next
  }
}
#endif
