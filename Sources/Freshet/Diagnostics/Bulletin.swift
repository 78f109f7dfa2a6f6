import Synchronization

/// One writer, many readers, of which each gets what is posted from when it began to read.
///
/// The newest elements are kept, so many as the capacity says; who reads slower misses the oldest.
final class Bulletin<Element: Sendable>: Sendable {
  private struct State {
    var kept: [Element] = []
    /// The number of the first that is kept.
    var first = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var nextWaiter = 0

    var end: Int { first + kept.count }
  }

  private let capacity: Int
  private let state = Mutex(State())

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  var recent: [Element] { state.withLock { $0.kept.suffix(capacity) } }

  func post(_ element: Element) {
    let waiters = state.withLock { state in
      state.kept.append(element)
      // Trimmed by halves, so that posting does not move all elements each time.
      if state.kept.count / 2 >= capacity {
        let surplus = state.kept.count - capacity
        state.kept.removeFirst(surplus)
        state.first += surplus
      }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters {
      waiter.resume()
    }
  }

  /// The number that the next element will have.
  var end: Int { state.withLock(\.end) }

  /// Waits for the element with the number, or the oldest kept one after it; `nil` as soon as the
  /// task is cancelled.
  func element(
    from number: Int,
    isolation actor: isolated (any Actor)?
  ) async -> (element: Element, number: Int)? {
    while !Task.isCancelled {
      if let found = find(number) { return found }
      await wait(for: number)
    }
    return nil
  }

  private func find(_ number: Int) -> (element: Element, number: Int)? {
    state.withLock { state in
      let oldest = max(state.first, state.end - capacity)
      let number = max(number, oldest)
      return number < state.end ? (state.kept[number - state.first], number) : nil
    }
  }

  private func wait(for number: Int) async {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if number < state.end || Task.isCancelled { return true }
          state.waiters[id] = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
    }
  }
}

/// What is posted on a bulletin from when an iterator is made; it ends with its task.
struct BulletinSequence<Element: Sendable>: AsyncSequence, Sendable {
  let bulletin: Bulletin<Element>

  func makeAsyncIterator() -> Iterator {
    Iterator(bulletin: bulletin, number: bulletin.end)
  }

  struct Iterator: AsyncIteratorProtocol {
    let bulletin: Bulletin<Element>
    var number: Int

    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      guard let found = await bulletin.element(from: number, isolation: actor) else { return nil }
      number = found.number + 1
      return found.element
    }
  }
}

@available(*, unavailable)
extension BulletinSequence.Iterator: Sendable {}

extension BulletinSequence: Worded, CustomStringConvertible {
  var words: PipelineWords { PipelineWords("bulletin of \(Element.self)") }
  var description: String { words.description }
}
