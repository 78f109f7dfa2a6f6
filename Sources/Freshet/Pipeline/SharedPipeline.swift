import Synchronization

/// A pipeline with the state that its readers share; ``ShareState`` makes the decisions.
final class SharedPipeline<Base: AsyncSequence & Sendable>: Sendable
where Base.Element: PipelineEvent, Base.Failure: PipelineFailure {
  typealias Channel = Broadcast<Base.Element.Value, Base.Failure>

  final class Run: Sendable {
    let broadcast = Channel()
    let task = Mutex<Task<Void, Never>?>(nil)

    func start(_ base: Base) {
      let running = Task { [broadcast] in await broadcast.relay(base) }
      task.withLock { $0 = running }
    }

    func cancel() {
      task.withLock(\.self)?.cancel()
      broadcast.end(Base.Failure(.cancelled))
    }
  }

  let base: Base
  private let state = Mutex(ShareState<Run>())

  init(_ base: Base) {
    self.base = base
  }

  /// Adds a reader; the first one starts the run.
  func join() -> Reader {
    let (id, run, channel, isNew) = state.withLock { state in
      let (id, run, isNew) = state.join(make: Run.init)
      return (id, run, run.broadcast.reader(), isNew)
    }
    if isNew { run.start(base) }
    return Reader(pipeline: self, id: id, channel: channel)
  }

  private func leave(_ id: Int) {
    state.withLock { $0.leave(id) { $0.broadcast.hasEnded } }?.cancel()
  }

  /// A subscription of one reader, which ends when it is released.
  final class Reader: Sendable {
    private let pipeline: SharedPipeline
    private let id: Int
    let channel: Channel.Reader

    init(pipeline: SharedPipeline, id: Int, channel: Channel.Reader) {
      self.pipeline = pipeline
      self.id = id
      self.channel = channel
    }

    deinit {
      pipeline.leave(id)
    }
  }
}
