/// The newest calls of an inspector, whenever they have changed; never more often than its page is updated.
struct CallLists: AsyncSequence, Sendable {
  let inspector: Inspector

  func makeAsyncIterator() -> Iterator { Iterator(inspector: inspector) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let inspector: Inspector
    fileprivate var version: Int?

    /// Waits for a change; `nil` once the task is cancelled.
    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> [CallSummary]?
    {
      // The first list comes at once; later ones wait even if there is a change already.
      if let version {
        repeat {
          guard (try? await Task.sleep(for: inspector.configuration.interval)) != nil else {
            return nil
          }
        } while inspector.recorder.version == version
      }
      if Task.isCancelled { return nil }
      version = inspector.recorder.version
      return inspector.summaries
    }
  }
}

@available(*, unavailable)
extension CallLists.Iterator: Sendable {}

extension Inspector {
  var lists: CallLists { CallLists(inspector: self) }
}
