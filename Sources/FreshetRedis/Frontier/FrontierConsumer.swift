#if Redis && !canImport(Darwin)
import Freshet
import FreshetEssentials

/// Takes the entries of a frontier for one run, renews its lease, and reports how entries ended.
///
/// All of that is one script at a time, executed by one task that lives until the end of the run.
final class FrontierConsumer: BatchQueueConsumer {
  private struct State: Sendable {
    var ledger: FrontierLedger
    var isWorking = false
  }

  private let frontier: Frontier
  private let worker = Hexadecimal.unpredictableName()
  private let state: Watched<State>
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init(_ frontier: Frontier) {
    self.frontier = frontier
    state = Watched(State(ledger: FrontierLedger(lease: frontier.configuration.usedLease)))
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func next() async throws(FreshetError) -> Request? {
    work()
    let ready = state.update { $0.ledger.next() }
    // Also for an entry that is there, in whose place another one is taken.
    signal.yield()
    guard let ready else { return try await state.value { $0.ledger.next() } }
    return try ready.get()
  }

  func ended(_ index: Int, failure: FreshetError?) {
    state.update { $0.ledger.ended(index, failure) }
    signal.yield()
  }

  func finish() {
    state.update { $0.ledger.finish() }
    signal.yield()
  }
}

// MARK: - Turns

extension FrontierConsumer {
  /// Starts the task, once.
  private func work() {
    let starts = state.update { state in
      defer { state.isWorking = true }
      return !state.isWorking
    }
    guard starts else { return }
    // Not a child of the run's task: it reports what the run has left, also after a cancellation.
    Task.detached { [self] in
      let ticking = Task.detached { [signal] in
        while !Task.isCancelled {
          signal.yield()
          try? await Task.sleep(for: FrontierLedger.pauses.shortest)
        }
      }
      for await _ in signals {
        while let turn = state.update({ $0.ledger.turn(at: .now) }) { await take(turn) }
        if state.read(\.ledger.isOver) { break }
      }
      ticking.cancel()
    }
  }

  private func take(_ turn: FrontierLedger.Turn) async {
    let (id, place) = state.read { ($0.ledger.id, $0.ledger.place) }
    do throws(RedisFailure) {
      let reply = try await frontier.run(.frontierTurn, arguments(turn, id, place))
      guard let found = reply.elements else { throw RedisFailure.unreadable }
      guard found.count == 4, let answer = FrontierLedger.Answer(found) else {
        let failure = FreshetError.store("the server has lost the frontier, or it was removed")
        return state.update { $0.ledger.fail(failure) }
      }
      state.update { $0.ledger.answered(turn, answer, at: .now) }
    } catch {
      state.update { state in
        if error.isFinal {
          state.ledger.fail(error.error)
        } else {
          state.ledger.failed(at: .now)
        }
      }
    }
  }

  private func arguments(
    _ turn: FrontierLedger.Turn,
    _ id: String,
    _ place: String
  ) -> [RedisArgument] {
    var done: [RedisArgument] = []
    var failed: [RedisArgument] = []
    var back: [RedisArgument] = []
    for report in turn.reports {
      switch report {
      case .done(let entry): done.append(.text(entry))
      case .failed(let entry, let reason, let isLasting, let pause):
        failed += [
          .text(entry), .text(String(reason.prefix(500))), .number(isLasting ? 1 : 0),
          .number(pause.milliseconds),
        ]
      case .back(let entry, let attempts): back += [.text(entry), .number(attempts)]
      }
    }
    let begun = turn.begun.flatMap { [.text($0.id), RedisArgument.number($0.attempts + 1)] }
    let configuration = frontier.configuration
    let head: [RedisArgument] = [
      .text(Hexadecimal.unpredictableName()), .text(id), .text(worker), .number(turn.wanted),
      .number(configuration.usedLease.milliseconds), .number(turn.takesOver ? 1 : 0),
      .text(place), .number(max(1, configuration.attemptLimit)),
      .number(configuration.retryPause.milliseconds),
      .number(turn.held.count), .number(turn.begun.count), .number(done.count),
      .number(failed.count / 4), .number(back.count / 2), .number(turn.leaves ? 1 : 0),
    ]
    return head + turn.held.map(RedisArgument.text) + begun + done + failed + back
  }
}

extension Frontier.Configuration {
  /// The lease, at least a tenth of a second.
  fileprivate var usedLease: Duration { lease.bounded(from: .milliseconds(100)) }
}

extension FrontierLedger.Answer {
  /// Reads the reply of the script; `nil` if it is none.
  fileprivate init?(_ found: [RedisReply]) {
    guard let id = found[0].text, let place = found[2].text, let words = found[3].elements
    else { return nil }
    self.id = id
    hasEnded = found[1].number == 1
    self.place = place
    entries = stride(from: 0, to: words.count - 3, by: 4)
      .map { index in
        let isKnown = words[index + 1].text == FrontierBody.version
        let data = isKnown ? words[index + 2].data : nil
        return FrontierLedger.Entry(
          id: words[index].text ?? "",
          attempts: Int(words[index + 3].number ?? 0),
          request: data.flatMap { FrontierBody(data: $0).request }
        )
      }
  }
}
#endif
