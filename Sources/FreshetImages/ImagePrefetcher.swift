import Freshet
import Synchronization

/// Loads pictures that will be shown soon, a few at a time and with low priority.
///
/// - A request that is asked for again, or that a view loads at the same time, is loaded once, if the view
///   shows what arrives as the loader is configured to, see ``ImageOptions/arrival-swift.property``.
/// - Taking, beginning and giving up a request costs the same however many wait.
/// - What is cancelled, and what the prefetcher still has to do when nobody holds it any more, ends.
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
    var waiting = WaitingLine<ImageRequest>()
    var running: [ImageRequest: Run] = [:]
    var nextNumber = 0
  }

  private let loader: ImageLoader
  private let width: Int
  private let state = Mutex(State())

  /// Makes a prefetcher.
  ///
  /// - Parameters:
  ///   - loader: What loads the pictures, the same that the views use.
  ///   - maximumConcurrentLoads: How many loads run at the same time; 2 by default, at least 1.
  public init(_ loader: ImageLoader, maximumConcurrentLoads: Int = 2) {
    self.loader = loader
    width = max(1, maximumConcurrentLoads)
  }

  deinit {
    cancelAll()
  }

  /// How many requests run or wait.
  public var count: Int { state.withLock { $0.waiting.count + $0.running.count } }

  /// Loads pictures into the loader's memory, in this order.
  ///
  /// - Parameter requests: What will be shown; what runs or waits already is left out.
  public func prefetch(_ requests: [ImageRequest]) {
    state.withLock { state in
      for request in requests where state.running[request] == nil {
        state.waiting.append(request)
      }
      begin(&state)
    }
  }

  /// Gives up requests; those that are done stay in memory.
  ///
  /// - Parameter requests: What will not be shown.
  public func cancel(_ requests: [ImageRequest]) {
    let runs = state.withLock { state in
      for request in requests { state.waiting.remove(request) }
      let runs = requests.compactMap { state.running.removeValue(forKey: $0) }
      begin(&state)
      return runs
    }
    for run in runs { run.task.cancel() }
  }

  /// Gives up everything.
  public func cancelAll() {
    let runs = state.withLock { state in
      state.waiting = WaitingLine()
      defer { state.running = [:] }
      return Array(state.running.values)
    }
    for run in runs { run.task.cancel() }
  }

  private func begin(_ state: inout State) {
    while state.running.count < width, let request = state.waiting.removeFirst() {
      var prepared = request
      prepared.resource.priority = .low
      // Only what shows itself in the same way shares a transfer with the views.
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
