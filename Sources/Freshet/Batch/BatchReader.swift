/// The reader of one run: takes the workers' signals, and updates the account and the journal.
final class BatchReader {
  /// A signal of a worker.
  enum Signal: Sendable {
    case started(BatchItem)
    case progressed(BatchItem, TransferProgress)
    indirect case received(BatchItem, Resource)
    indirect case failed(BatchItem, FreshetError)
    /// The final value; the item ends once the reader asks for the next event.
    indirect case completed(BatchItem, Resource)
    /// The item ended with its last `received`.
    case ended(BatchItem)
  }

  private enum Phase {
    case ready
    case running
    case over
  }

  /// A step that is available without waiting.
  enum Step {
    case event(BatchEvent)
    /// There is nothing now.
    case nothing
    /// There is nothing more.
    case end
  }

  private let run: BatchSequence
  private let engine: BatchEngine<Signal>
  private var inbox = Queue<Signal>()
  private var account: BatchAccount
  private var journal: JournalWriter?
  /// The consumer of the queue that the items come from, if they do.
  private var consumer: (any BatchQueueConsumer)?
  /// The time when the signals of the inbox were taken, because reading the clock for each is slow.
  private var takenAt: Duration
  private var failures: [BatchResult.Failure] = []
  /// The items that are done once they are confirmed.
  private var unconfirmed: Set<Int> = []
  /// The failed items that the reader takes for done.
  private var accepted: Set<Int> = []
  private var phase = Phase.ready
  /// The item whose final value the reader has, and its bytes; it ends when the reader returns.
  private var received: (item: BatchItem, bytes: Int64)?
  private var error: FreshetError?
  private var unreported = 0
  private var hasReportedAll = false
  /// The observer of the run, if its client is observed.
  private var observer: (any BatchObserver)?

  /// The number of signals after which progress is reported although there are more.
  private static let reportInterval = 64

  init(_ run: BatchSequence) {
    self.run = run
    engine = BatchEngine(run.limits, run.batch.readAhead(run.limits), now: run.now) { .started($0) }
    takenAt = run.now()
    account = BatchAccount(now: takenAt)
  }

  deinit {
    engine.cancel()
    consumer?.finish()
  }

  /// Returns the next step, which is usually available without waiting.
  func step() throws(FreshetError) -> Step {
    do throws(FreshetError) {
      if case .over = phase { return .end }
      if case .ready = phase { try begin() }
      if let (item, bytes) = received.take() { end(item, bytes: bytes) }
      if let error { throw error }
      if Task.isCancelled { throw FreshetError.cancelled }
      let step = try taken()
      if let observer, case .event(let event) = step { observer.received(event) }
      return step
    } catch {
      observer.take()?.failed(error)
      phase = .over
      engine.cancel()
      consumer.take()?.finish()
      throw error
    }
  }

  /// Waits until there is a step.
  func news() async {
    await engine.news()
  }

  private func taken() throws(FreshetError) -> Step {
    while unreported < Self.reportInterval {
      if let signal = inbox.popFirst() {
        if let event = event(signal) { return .event(event) }
        continue
      }
      switch engine.take(into: &inbox) {
      case .signals: takenAt = run.now()
      case .end(let failure): return .event(try end(failure))
      case .nothing: return unreported > 0 ? .event(report()) : .nothing
      }
    }
    return .event(report())
  }
}

// MARK: - Steps

extension BatchReader {
  private func begin() throws(FreshetError) {
    guard !Task.isCancelled else { throw .cancelled }
    phase = .running
    observer = run.batch.client.settings.lifecycle.observer?.batchBegan(run.description)
    let batch = run.batch
    let client = batch.client
    var source = batch.source
    var known: [BatchItem] = []
    // A batch that cannot be run must not be written to the journal.
    if case .failing(let error) = source { throw error }
    if case .items(let items) = source {
      known = items
      for item in items { account.offer(size: item.size) }
      account.close()
    }
    if let journal = run.journal {
      let secrets = client.configuration.allSecretHeaders
      self.journal = try JournalWriter(journal, known, without: secrets)
    }
    if case .queue(let queue) = source {
      let consumer = queue.makeConsumer()
      source = BatchSource(consumer)
      self.consumer = consumer
    }
    let list = client.settings.stages.list(for: batch.policy)
    engine.start(source, run.control) { item, worker, post in
      let policy = item.policy(of: batch)
      if let target = item.entry.target {
        let policy = policy ?? batch.policy
        let download = client.download(item.request, to: target, policy: policy)
        return await Self.fetch(item, download.makeAsyncIterator(), post)
      }
      let own = policy.map { client.settings.stages.list(for: $0) } ?? list
      let chain = client.chain(prepared: client.prepared(item.request), own)
      let events = ResourceSequence.Iterator(run: FetchRun(chain, in: worker))
      return await Self.fetch(item, events, post)
    }
  }

  private static func fetch(
    _ item: BatchItem,
    _ events: consuming some AsyncIteratorProtocol<Event<Resource>, FreshetError>,
    _ post: BatchEngine<Signal>.Post
  ) async -> Signal {
    do throws(FreshetError) {
      while let event = try await events.next(isolation: #isolation) {
        switch event {
        case .progress(let progress):
          post.progress(.progressed(item, progress))
        case .value(let value):
          if value.isFinal, let failure = value.replacedFailure {
            // There is something to show, and the download has failed all the same.
            post(.received(item, value))
            return .failed(item, failure)
          }
          if value.isFinal { return .completed(item, value) }
          post(.received(item, value))
        }
      }
      return .ended(item)
    } catch {
      return .failed(item, error)
    }
  }

  private func event(_ signal: consuming Signal) -> BatchEvent? {
    unreported += 1
    switch signal {
    case .started(let item):
      let isList = run.batch.source.count != nil
      if !isList {
        account.offer(upTo: item.index + 1)
        journal?.add(item)
      }
      account.start(item.index, offered: isList ? item.size : nil, size: item.size)
      return .started(item)
    case .progressed(let item, let progress):
      // The bytes of a request's body are none of the response.
      if !progress.isSent { account.advance(item.index, progress, now: takenAt) }
      return .progressed(item, progress)
    case .received(let item, let resource):
      return .received(item, resource)
    case .completed(let item, let resource):
      return received(item, resource)
    case .ended(let item):
      end(item, bytes: 0)
      return nil
    case .failed(let item, let error):
      account.end(item.index, bytes: nil, failed: true, now: takenAt)
      consumer?.ended(item.index, failure: error)
      failures.append(BatchResult.Failure(item: item, error: error))
      if run.onFailure == .end { self.error = error }
      return .failed(item, error)
    }
  }

  private func received(_ item: BatchItem, _ resource: consuming Resource) -> BatchEvent {
    let bytes = resource.source == .network ? resource.response.body.length : 0
    received = (item, bytes)
    if awaitsConfirmation { unconfirmed.insert(item.index) }
    return .received(item, resource)
  }

  private func end(_ item: BatchItem, bytes: Int64) {
    account.end(item.index, bytes: bytes, failed: false, now: takenAt)
    // The reader has returned after the value, and so has processed it.
    consumer?.ended(item.index, failure: nil)
    if !awaitsConfirmation { journal?.markDone(item.index) }
  }

  private var awaitsConfirmation: Bool { run.journal?.awaitsConfirmation == true }

  func confirm(_ index: Int) {
    if unconfirmed.remove(index) != nil { journal?.markDone(index) }
  }

  func accept(_ index: Int) {
    accepted.insert(index)
    journal?.markDone(index)
  }

  private func report() -> BatchEvent {
    unreported = 0
    if run.batch.source.count == nil {
      let (count, isAll) = engine.offered
      account.offer(upTo: count)
      if isAll { account.close() }
    }
    return .advanced(account.progress(now: run.now()))
  }

  private func end(_ failure: FreshetError?) throws(FreshetError) -> BatchEvent {
    if let failure { throw failure }
    if !hasReportedAll {
      hasReportedAll = true
      return report()
    }
    phase = .over
    consumer.take()?.finish()
    let isDone = unconfirmed.isEmpty && failures.allSatisfy { accepted.contains($0.item.index) }
    journal?.finish(hasFailures: !isDone)
    let progress = account.progress(now: run.now())
    let source = BatchSource.items(failures.map(\.item))
    let failed = Batch(client: run.batch.client, source: source, policy: run.batch.policy)
    return .finished(BatchResult(progress: progress, failures: failures, failed: failed))
  }
}
