import Foundation
import Synchronization

/// Runs the items of a source with a number of workers, and hands what they signal to one reader.
///
/// The source is read four times the workers ahead; workers wait for a reader that is more than
/// twice their number of signals behind. Releasing the last reference from outside, or `cancel()`,
/// ends the work.
final class BatchEngine<Signal: Sendable>: Sendable {
  typealias State = BatchState<Signal>
  typealias Turn = State.Turn
  /// What is done with an item; what it returns is the last that it tells.
  typealias Work = @Sendable (BatchItem, FlightHost, Post) async -> Signal

  private typealias Idler = UnsafeContinuation<Turn?, Never>

  private struct Guarded {
    var state: State
    var feeder: Pause?
    var reader: Pause?
    /// Whether the waiting reader may run steps of the workers.
    var readerHelps = false
    /// How often the reader has come since it gave way to others.
    var comings = 0
    var ahead: [Pause] = []
    var idle: [Idler] = []
  }

  private let guarded: Mutex<Guarded>
  private let limits: BatchLimits
  private let now: @Sendable () -> Duration
  private let crew = Mutex(Crew())
  let ready: Mutex<ReadySteps<UnownedJob>>

  /// Who works, to be sent home.
  private struct Crew {
    var feeder: Task<Void, Never>?
    var hosts: [FlightHost] = []
    var control: (BatchControl, observer: Int)?
  }

  /// `beginning` is what is told of an item whose turn it is, if anything.
  init(
    _ limits: BatchLimits,
    now: @escaping @Sendable () -> Duration,
    beginning: (@Sendable (BatchItem) -> Signal)? = nil
  ) {
    self.limits = limits
    self.now = now
    guarded = Mutex(Guarded(state: State(limits, beginning)))
    ready = Mutex(ReadySteps(processors: ProcessInfo.processInfo.activeProcessorCount))
  }

  /// How a worker tells about its item.
  struct Post: Sendable {
    fileprivate let engine: BatchEngine
    fileprivate let turn: Turn

    /// Tells something of which only the newest counts.
    func progress(_ signal: Signal) {
      engine.post(signal, of: turn, isProgress: true)
    }

    /// Tells something that must arrive.
    func callAsFunction(_ signal: Signal) {
      engine.post(signal, of: turn, isProgress: false)
    }
  }
}

// MARK: - Source and workers

extension BatchEngine {
  /// Starts; called once, by the reader, before it can cancel.
  func start(_ source: BatchSource, _ control: BatchControl?, work: @escaping Work) {
    let count = min(limits.maxConcurrent, max(source.count ?? .max, 1))
    let source = prefill(source)
    let hosts = (0..<count).map { _ in FlightHost() }
    crew.withLock { crew in
      crew.hosts = hosts
      crew.control = control.map { control in
        (control, observer: control.observe { [weak self] in self?.pause($0) })
      }
      crew.feeder = Task { await feed(source) }
    }
    for host in hosts {
      host.run(
        in: Urgency.$current.withValue(host.urgency) {
          Task(executorPreference: self) { await self.run(work, host) }
        }
      )
    }
  }

  /// Offers what there is room for before anybody works, so that the most urgent comes first.
  private func prefill(_ source: BatchSource) -> BatchSource {
    guard case .items(let items) = source else { return source }
    let time = now()
    let count = guarded.withLock { guarded in
      for (count, item) in items.enumerated() {
        if guarded.state.isFull { return count }
        guarded.state.offer(item, host: item.request.host, now: time)
      }
      return items.count
    }
    return .items(Array(items[count...]))
  }

  func cancel() {
    change { $0.cancel() }
    let crew = crew.withLock { crew in
      defer { crew = Crew() }
      return crew
    }
    crew.feeder?.cancel()
    for host in crew.hosts { host.abandon() }
    if let (control, observer) = crew.control { control.forget(observer) }
  }

  private func feed(_ source: BatchSource) async {
    var failure: FreshetError?
    do throws(FreshetError) {
      try await source.feed(
        BatchIntake(offer: { [self] in offer($0) }, room: { [self] in await room() })
      )
    } catch {
      failure = error
    }
    change { $0.close(failure) }
  }

  private func offer(_ item: BatchItem) -> Bool? {
    let host = item.request.host
    let time = now()
    return change(at: time) { state in
      guard !state.isCancelled else { return false }
      guard !state.isFull else { return nil }
      state.offer(item, host: host, now: time)
      return true
    }
  }

  private func room() async {
    await withUnsafeContinuation { continuation in
      let waits = guarded.withLock { guarded in
        guard guarded.state.isFull else { return false }
        guarded.feeder = continuation
        return true
      }
      if !waits { continuation.resume() }
    }
  }

  private func run(_ work: Work, _ host: FlightHost) async {
    var next = goOn(after: nil)
    while let turn = await turn(next) {
      host.urgency.change(to: turn.item.request.priority)
      let last = await work(turn.item, host, Post(engine: self, turn: turn))
      next = goOn(after: turn, telling: last)
      if case .ahead = next {
        await catchUp()
        next = goOn(after: turn)
      }
    }
  }

  /// What a worker goes on with.
  private enum Next {
    case turn(Turn)
    /// The reader is far behind: the turn before has not been ended.
    case ahead
    /// There is nothing to do now.
    case idle
    /// There is nothing to do any more.
    case over
  }

  /// Tells the last of a worker's turn, ends it and takes its next one: all at once, because all
  /// workers come by here.
  private func goOn(after last: Turn?, telling signal: Signal? = nil) -> Next {
    let time = now()
    return change(at: time) { state in
      if let last {
        if let signal { state.post(signal, of: last, isProgress: false) }
        if signal != nil, state.isAhead { return .ahead }
        state.end(last)
      }
      if let turn = state.turn(now: time) { return .turn(turn) }
      return state.isExhausted ? .over : .idle
    }
  }

  /// The turn to go on with, once there is one.
  private func turn(_ next: Next) async -> Turn? {
    switch next {
    case .turn(let turn): return turn
    case .over: return nil
    case .ahead, .idle: break
    }
    return await withUnsafeContinuation { continuation in
      let time = now()
      let (result, reader): (Turn??, Pause?) = guarded.withLock { guarded in
        if let turn = guarded.state.turn(now: time) {
          return (.some(turn), guarded.state.hasNews ? guarded.reader.take() : nil)
        }
        if guarded.state.isExhausted { return (.some(nil), nil) }
        guarded.idle.append(continuation)
        return (nil, nil)
      }
      reader?.resume()
      if let result { continuation.resume(returning: result) }
    }
  }

  /// Waits until the reader is not far behind.
  private func catchUp() async {
    await withUnsafeContinuation { continuation in
      let (waits, reader) = guarded.withLock { guarded -> (Bool, Pause?) in
        guard guarded.state.isAhead else { return (false, nil) }
        guarded.ahead.append(continuation)
        return (true, guarded.reader.take())
      }
      reader?.resume()
      if !waits { continuation.resume() }
    }
  }

  private func pause(_ isPaused: Bool) {
    change { $0.pause(isPaused) }
  }

  private func post(_ signal: Signal, of turn: Turn, isProgress: Bool) {
    let reader = guarded.withLock { guarded in
      guarded.state.post(signal, of: turn, isProgress: isProgress)
      return guarded.reader.take()
    }
    reader?.resume()
  }

  /// Changes the state, and wakes whoever can go on.
  @discardableResult
  private func change<Value: Sendable>(
    at time: Duration? = nil,
    _ body: (inout State) -> Value
  ) -> Value {
    let time = time ?? now()
    var turns: [(Idler, Turn?)] = []
    var pauses: [Pause] = []
    let value = guarded.withLock { guarded in
      let value = body(&guarded.state)
      while !guarded.idle.isEmpty, let turn = guarded.state.turn(now: time) {
        turns.append((guarded.idle.removeLast(), turn))
      }
      if guarded.state.isExhausted {
        turns += guarded.idle.map { ($0, nil) }
        guarded.idle = []
      }
      if guarded.state.isLow, let feeder = guarded.feeder.take() { pauses.append(feeder) }
      if guarded.state.hasNews, let reader = guarded.reader.take() { pauses.append(reader) }
      if guarded.state.isCancelled {
        pauses += guarded.ahead
        guarded.ahead = []
      }
      return value
    }
    for (worker, turn) in turns { worker.resume(returning: turn) }
    for pause in pauses { pause.resume() }
    return value
  }
}

// MARK: - Reader

extension BatchEngine {
  /// How many items have come from the source, and whether that is all.
  var offered: (count: Int, isAll: Bool) {
    guarded.withLock { ($0.state.offeredCount, $0.state.isClosed) }
  }

  /// Moves the next signals to their reader, if there are any.
  func take(into signals: inout Queue<Signal>) -> State.Taken {
    let (taken, waiting, feeder) = guarded.withLock { guarded in
      let taken = guarded.state.take(into: &signals)
      let waiting = guarded.state.isCaughtUp ? guarded.ahead : []
      if guarded.state.isCaughtUp { guarded.ahead = [] }
      let feeder = guarded.state.isLow ? guarded.feeder.take() : nil
      return (taken, waiting, feeder)
    }
    for pause in waiting { pause.resume() }
    feeder?.resume()
    return taken
  }

  /// Waits until there is something to take, or the task is cancelled.
  ///
  /// A reader that may run anywhere runs steps of the workers meanwhile.
  func news(isolation actor: isolated (any Actor)?) async {
    let helps = actor == nil && Self.mayRunSteps
    if !helps || hasToGiveWay() {
      // Others that are ready go first, and what they tell is taken without being woken for it.
      await Task.yield()
    }
    if helps { help() }
    if hasNews { return }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waits = guarded.withLock { guarded in
          guard !guarded.state.hasNews else { return false }
          guarded.reader = continuation
          guarded.readerHelps = helps
          guarded.comings = 0
          return true
        }
        if !waits { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
    // It may have been woken for that.
    if helps { help() }
  }

  /// Runs steps in the reader's task, until there is none or the reader has something to do.
  private func help() {
    if Task.isCancelled { return leaveSteps() }
    runSteps { hasNews || Task.isCancelled }
  }

  /// Whether the reader, who nearly always has something to do, keeps its thread from others.
  private func hasToGiveWay() -> Bool {
    guarded.withLock { guarded in
      guarded.comings = (guarded.comings + 1) % 16
      return guarded.comings == 0
    }
  }

  private var hasNews: Bool { guarded.withLock { $0.state.hasNews } }

  /// The reader, if it waits and may run steps: who takes it has to resume it.
  func helper() -> Pause? {
    guarded.withLock { $0.readerHelps ? $0.reader.take() : nil }
  }
}
