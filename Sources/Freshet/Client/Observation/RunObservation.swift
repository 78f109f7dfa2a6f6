/// The observation of one run of a chain, or of its rest in another task.
struct RunObservation: Sendable {
  let observer: any FetchObserver
  /// The number of stages that precede those of the run.
  let offset: Int
  /// A Boolean value that indicates whether the steps of the run go to no reader.
  let isBehindValue: Bool
  /// A Boolean value that indicates whether the steps that follow are those of a shared run, which is observed itself.
  private var isShared = false

  init(_ observer: any FetchObserver, offset: Int = 0, isBehindValue: Bool = false) {
    self.observer = observer
    self.offset = offset
    self.isBehindValue = isBehindValue
  }

  /// Returns the observation of the rest of the run.
  func rest(offset: Int, isBehindValue: Bool) -> RunObservation {
    RunObservation(observer, offset: self.offset + offset, isBehindValue: isBehindValue)
  }

  mutating func note(_ index: Int, _ step: Fetch.Kinds, _ reply: Fetch.Reply) {
    if case .results = reply.content { isShared = true }
    observer.stageReplied(offset + index, to: step, ObservedReply(reply))
  }

  func note(_ index: Int, _ step: Fetch.Kinds, _ reply: ObservedReply) {
    observer.stageReplied(offset + index, to: step, reply)
  }

  /// Notes a step that the source of a stage has delivered.
  func pulled(_ index: Int, _ step: Fetch) {
    guard !isShared, step.kind != .progress else { return }
    observer.stageReplied(offset + index, to: [], .step(step.kind))
  }
}

/// The reader of a run, as far as an observer sees it.
extension RunObservation {
  func delivered(_ step: Fetch, isRest: Bool) {
    guard !isRest || isBehindValue else { return }
    do throws(FreshetError) {
      let event = try step.settled()
      if !isRest {
        observer.delivered(event)
      } else if case .value(let resource) = event, resource.isFinal {
        observer.refreshed(.success(resource))
      }
    } catch {
      failed(error, isRest: isRest)
    }
  }

  func failed(_ error: FreshetError, isRest: Bool) {
    if !isRest {
      observer.failed(error)
    } else if isBehindValue {
      observer.refreshed(.failure(error))
    }
  }
}

extension ObservedReply {
  init(_ reply: Fetch.Reply) {
    self =
      switch reply.content {
      case .pass: .passed
      case .step(let step): .step(step.kind)
      case .steps(let first, let second): .steps(first.kind, second.kind)
      case .source: .source
      case .results, .lead: .shared
      case .nothing: .dropped
      case .restart: .restarted
      }
  }
}
