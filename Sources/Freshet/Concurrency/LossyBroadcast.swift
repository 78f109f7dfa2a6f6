import Synchronization

/// A broadcast without backpressure: each reader gets the elements posted after it began to read.
///
/// The newest elements are kept, as many as the capacity says; a slower reader misses the oldest ones.
final class LossyBroadcast<Element: Sendable>: Sendable {
  private struct State {
    var kept: [Element] = []
    /// The number of the first element in `kept`.
    var first = 0

    var end: Int { first + kept.count }
  }

  private let capacity: Int
  private let state = Watched(State())
  private let readerCount = Atomic<Int>(0)

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// A Boolean value that indicates whether there is a reader; without one, posting can be skipped.
  var isRead: Bool { readerCount.load(ordering: .acquiring) > 0 }

  var recent: [Element] { state.read { $0.kept.suffix(capacity) } }

  func post(_ element: Element) {
    state.update { state in
      state.kept.append(element)
      // Trimmed only when half can go, so that posting does not move all elements each time.
      if state.kept.count / 2 >= capacity {
        let surplus = state.kept.count - capacity
        state.kept.removeFirst(surplus)
        state.first += surplus
      }
    }
  }

  /// The number of the next element.
  var end: Int { state.read(\.end) }

  /// Waits for the element with the number, or for the oldest kept one after it.
  ///
  /// - Returns: The element and its number; `nil` as soon as the task is cancelled.
  func element(from number: Int) async -> (element: Element, number: Int)? {
    if Task.isCancelled { return nil }
    return await state.first { [capacity] state in
      let number = max(number, state.first, state.end - capacity)
      return number < state.end ? (state.kept[number - state.first], number) : nil
    }
  }
}

extension LossyBroadcast {
  /// A reader's share, which counts until it is released.
  final class Reader: Sendable {
    let bulletin: LossyBroadcast

    init(_ bulletin: LossyBroadcast) {
      self.bulletin = bulletin
      bulletin.readerCount.add(1, ordering: .acquiringAndReleasing)
    }

    deinit {
      bulletin.readerCount.subtract(1, ordering: .acquiringAndReleasing)
    }
  }
}

/// The elements posted since an iterator was made; the sequence ends when the task is cancelled.
struct LossyBroadcastSequence<Element: Sendable>: AsyncSequence, Sendable {
  let bulletin: LossyBroadcast<Element>

  func makeAsyncIterator() -> Iterator {
    Iterator(reader: LossyBroadcast.Reader(bulletin), number: bulletin.end)
  }

  struct Iterator: AsyncIteratorProtocol {
    let reader: LossyBroadcast<Element>.Reader
    var number: Int

    mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      guard let found = await reader.bulletin.element(from: number)
      else { return nil }
      number = found.number + 1
      return found.element
    }
  }
}

@available(*, unavailable)
extension LossyBroadcastSequence.Iterator: Sendable {}

extension LossyBroadcastSequence: PipelineDescribable, CustomStringConvertible {
  var words: PipelineDescription { PipelineDescription("broadcast of \(Element.self)") }
}
