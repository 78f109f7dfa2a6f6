public import Freshet
import Synchronization

/// A transport in which some requests fail before they are sent; the others are passed on.
///
/// Each `send` decides, when the transfer is made, whether its request fails.
///
/// ```swift
/// let flaky = FaultyTransport(transport, .every(3), with: .connection(.lost, url: "…"))
/// let unreliable = FaultyTransport(transport, .probability(0.2, seed: 7), with: .noValue)
/// ```
public final class FaultyTransport<Base: Transport>: Transport {
  private let base: Base
  private let faults: Faults
  private let error: FreshetError
  private let state: Mutex<(count: Int, generator: SeededGenerator)>

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - base: The transport of the requests that do not fail.
  ///   - faults: The requests that fail.
  ///   - error: The failure of those requests.
  public init(_ base: Base, _ faults: Faults, with error: FreshetError) {
    self.base = base
    self.faults = faults
    self.error = error
    let seed = if case .probability(_, let seed) = faults.kind { seed } else { UInt64(0) }
    state = Mutex((0, SeededGenerator(seed: seed)))
  }

  /// Returns the transfer of a request, or a failing one.
  public func send(_ request: Request) -> Transfer {
    guard fails() else { return base.send(request) }
    let error = error
    return Transfer(request) { _ in FailingExchange(error) }
  }

  /// Returns the fields that the wrapped transport would add.
  public func addedFields(for request: Request) -> HTTPHeaders {
    base.addedFields(for: request)
  }

  /// Closes the idle connections of the wrapped transport.
  public func closeIdleConnections() async {
    await base.closeIdleConnections()
  }

  private func fails() -> Bool {
    state.withLock { state in
      state.count += 1
      return switch faults.kind {
      case .numbers(let numbers): numbers.contains(state.count)
      case .every(let period): state.count.isMultiple(of: period)
      case .probability(let probability, _):
        Double.random(in: 0..<1, using: &state.generator) < probability
      }
    }
  }
}

/// An exchange that fails before it begins.
private final class FailingExchange: Exchange {
  private let error: FreshetError

  init(_ error: FreshetError) {
    self.error = error
  }

  func next() async throws(FreshetError) -> TransferEvent? {
    throw error
  }

  func cancel() {}
}
