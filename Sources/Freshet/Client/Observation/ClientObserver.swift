/// An observer of everything that a client does, such as an inspector.
///
/// Its functions are called on the threads of the fetches and calls, so they must be fast. A client without an
/// observer pays one load of an atomic value per fetch and per call.
package protocol ClientObserver: AnyObject, Sendable {
  /// Called when a fetch begins.
  ///
  /// - Parameters:
  ///   - request: The request, with the fields of its client.
  ///   - stages: The stages of its chain.
  /// - Returns: The observer of the fetch; releasing it before the end means that its reader has abandoned the fetch.
  func fetchBegan(_ request: Request, _ stages: ObservedStages) -> any FetchObserver

  /// Called when a call to the network begins that is no part of a fetch.
  ///
  /// - Parameter request: The request, with the fields of its client.
  /// - Returns: The observer of the call.
  func callBegan(_ request: Request) -> any CallObserver

  /// Called when a run of a batch begins.
  ///
  /// - Parameter description: The batch and its options, in words.
  /// - Returns: The observer of the run; releasing it before the end means that its reader has abandoned the run.
  func batchBegan(_ description: String) -> any BatchObserver
}

/// An observer of one fetch.
package protocol FetchObserver: AnyObject, Sendable {
  /// Called when a stage has replied to a step, or when the source of its reply has delivered the next step.
  ///
  /// - Parameters:
  ///   - index: The index of the stage in the chain.
  ///   - step: The kind of the step that it has taken; empty for a step of a source.
  ///   - reply: Its reply.
  func stageReplied(_ index: Int, to step: Fetch.Kinds, _ reply: ObservedReply)
  /// Called for each event that the fetch delivers to its reader.
  func delivered(_ event: Event<Resource>)
  /// Called when what the client does behind a value, a refresh in the background, has an outcome.
  func refreshed(_ outcome: Result<Resource, FreshetError>)
  /// Called when the fetch has failed, once.
  func failed(_ error: FreshetError)
}

/// An observer of one call to the network.
package protocol CallObserver: AnyObject, Sendable {
  /// Called for each event of the transfer.
  func received(_ event: TransferEvent)
  /// Called when the call has ended, once; the error is `nil` if it is complete.
  func ended(_ error: FreshetError?)
}

/// An observer of one run of a batch.
package protocol BatchObserver: AnyObject, Sendable {
  /// Called for each event before its reader gets it.
  func received(_ event: BatchEvent)
  /// Called when the run has failed, once.
  func failed(_ error: FreshetError)
}

/// The reply of a stage, as an observer sees it.
package enum ObservedReply: Sendable, Hashable {
  /// The step passed unchanged.
  case passed
  /// The step was replaced by one of this kind.
  case step(Fetch.Kinds)
  /// The step was replaced by two.
  case steps(Fetch.Kinds, Fetch.Kinds)
  /// The steps of a source follow, such as a transfer.
  case source
  /// The results of a shared run follow.
  case shared
  /// The step was dropped.
  case dropped
  /// The chain begins again.
  case restarted
  /// The stage has failed.
  case failed
}

/// The stages of a fetch, as an observer sees them; their words are only made when they are asked for.
package struct ObservedStages: Sendable {
  fileprivate let list: StageList

  init(_ list: StageList) {
    self.list = list
  }

  /// The names of the stages, in order.
  package var names: [String] { list.names.map(\.description) }
  /// The stages as they would be written in code, in order; empty for those that are not shown.
  package var descriptions: [String] { list.stages.map(\.stageDescription) }
}

extension Client {
  /// Sets the observer of the client and its copies, in place of an earlier one; `nil` for none.
  ///
  /// It hears what begins from now on.
  package func observe(by observer: (any ClientObserver)?) {
    settings.lifecycle.observe(by: observer)
  }

  /// Returns whether both clients are copies of one, so that they have their observer in common.
  package func isCopy(of other: Client) -> Bool { settings === other.settings }

  /// Removes an observer, unless another one has taken its place.
  package func endObservation(by observer: any ClientObserver) {
    settings.lifecycle.endObservation(by: observer)
  }
}
