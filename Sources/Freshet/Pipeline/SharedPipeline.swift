import Synchronization

/// A pipeline that runs while it has readers; after its end, it is replayed.
final class SharedPipeline<Base: AsyncSequence & Sendable>: Sendable
where Base.Element: PipelineEvent, Base.Failure: PipelineFailure {
  typealias Reader = Broadcast<Base.Element.Value, Base.Failure>.Reader

  private struct State {
    var run: Running<Base.Element.Value, Base.Failure>?
    var readerCount = 0
  }

  let base: Base
  private let state = Mutex(State())

  init(_ base: Base) {
    self.base = base
  }

  /// Adds a reader, which leaves when it is released; the first one starts the run.
  func join() -> Reader {
    state.withLock { state in
      state.readerCount += 1
      if let run = state.run { return run.broadcast.reader(onRelease: leave) }
      let broadcast = Broadcast<Base.Element.Value, Base.Failure>()
      // Before the run, so that the reader misses nothing.
      let reader = broadcast.reader(onRelease: leave)
      state.run = Running(base, over: broadcast)
      return reader
    }
  }

  /// Removes a reader; the last one cancels a run that has not ended.
  private func leave() {
    let abandoned = state.withLock { state -> Running<Base.Element.Value, Base.Failure>? in
      state.readerCount -= 1
      guard state.readerCount == 0, state.run?.broadcast.hasEnded == false else { return nil }
      return state.run.take()
    }
    abandoned?.cancel()
  }
}
