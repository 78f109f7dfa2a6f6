import Freshet
import Synchronization

/// Loads pictures that will be shown soon, a few at a time and with low priority.
///
/// - A request that is added again, or that a view loads at the same time, is loaded once. For sharing with a
///   view, its ``ImageOptions/arrival-swift.property`` must be that of the loader's configuration.
/// - Adding, starting and cancelling a request take the same time however many are waiting.
/// - Releasing the prefetcher cancels the remaining requests.
///
/// ```swift
/// let prefetcher = ImagePrefetcher(loader)
/// prefetcher.prefetch(upcoming)
/// prefetcher.cancel(scrolledPast)
/// ```
public final class ImagePrefetcher: Sendable {
  private struct Run {
    let number: Int
    let task: Task<Void, Never>
  }

  private struct State {
    var waiting = OrderedQueue<ImageRequest>()
    var running: [ImageRequest: Run] = [:]
    var nextNumber = 0
  }

  private let loader: ImageLoader
  private let width: Int
  private let state = Mutex(State())

  /// Creates a prefetcher.
  ///
  /// - Parameters:
  ///   - loader: The loader of the pictures, which must be the one that the views use.
  ///   - maximumConcurrentLoads: The largest number of concurrent loads; 2 by default, at least 1.
  public init(_ loader: ImageLoader, maximumConcurrentLoads: Int = 2) {
    self.loader = loader
    width = max(1, maximumConcurrentLoads)
  }

  deinit {
    cancelAll()
  }

  /// The number of running and waiting requests.
  public var count: Int { state.withLock { $0.waiting.count + $0.running.count } }

  /// Loads pictures into the loader's cache, in this order.
  ///
  /// - Parameter requests: The requests; those that already run or wait are skipped.
  public func prefetch(_ requests: [ImageRequest]) {
    state.withLock { state in
      for request in requests where state.running[request] == nil {
        state.waiting.append(request)
      }
      begin(&state)
    }
  }

  /// Cancels requests; pictures that are already loaded stay in the cache.
  ///
  /// - Parameter requests: The requests that are no longer needed.
  public func cancel(_ requests: [ImageRequest]) {
    let runs = state.withLock { state in
      for request in requests { state.waiting.remove(request) }
      let runs = requests.compactMap { state.running.removeValue(forKey: $0) }
      begin(&state)
      return runs
    }
    for run in runs { run.task.cancel() }
  }

  /// Cancels all requests.
  public func cancelAll() {
    let (waiting, running) = state.withLock { state in
      (exchange(&state.waiting, with: OrderedQueue()), exchange(&state.running, with: [:]))
    }
    for run in running.values { run.task.cancel() }
    // The requests are released outside of the lock.
    _ = waiting
  }

  private func begin(_ state: inout State) {
    while state.running.count < width, let request = state.waiting.removeFirst() {
      var prepared = request
      prepared.resource.priority = .low
      // Only loads with the same display of arriving pictures share a transfer with the views.
      let arrival = loader.configuration.options.arrival
      let phases = loader.image(prepared, options: ImageOptions { $0.arrival = arrival })
      state.nextNumber += 1
      let number = state.nextNumber
      let task = Task { [weak self] in
        for await _ in phases {}
        self?.finished(request, number)
      }
      state.running[request] = Run(number: number, task: task)
    }
  }

  private func finished(_ request: ImageRequest, _ number: Int) {
    state.withLock { state in
      guard state.running[request]?.number == number else { return }
      state.running[request] = nil
      begin(&state)
    }
  }
}
