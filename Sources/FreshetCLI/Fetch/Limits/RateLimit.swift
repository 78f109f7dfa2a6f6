import Foundation
import Freshet
import Synchronization

/// Lets bodies come no faster than at a rate, those of all calls together.
///
/// It reads slowly, and that slows the sockets.
struct RateLimit: Interceptor {
  private let pacer: Pacer

  init(_ rate: ByteRate) {
    pacer = Pacer(rate)
  }

  func intercept(
    _ request: Request,
    next: @escaping @Sendable (Request) -> Transfer
  ) -> Transfer {
    Transfer(request, events: Events(base: next(request), request: request, pacer: pacer))
  }

  /// The rate that calls share.
  private final class Pacer: Sendable {
    private let rate: Mutex<ByteRate>
    private let start = ContinuousClock.now
    let piece: Int

    init(_ rate: ByteRate) {
      self.rate = Mutex(rate)
      piece = rate.piece
    }

    func pass(_ count: Int) -> ContinuousClock.Instant {
      let now = ContinuousClock.now - start
      return start + rate.withLock { $0.pass(count, at: now) }
    }
  }

  /// The events of a call, its body in pieces that wait until they may pass.
  private struct Events: AsyncSequence, Sendable {
    typealias Element = TransferEvent
    typealias Failure = FreshetError
    let base: Transfer
    let request: Request
    let pacer: Pacer

    func makeAsyncIterator() -> Iterator {
      Iterator(base: base.makeAsyncIterator(), request: request, pacer: pacer)
    }

    struct Iterator: AsyncIteratorProtocol {
      var base: Transfer.Iterator
      let request: Request
      let pacer: Pacer
      fileprivate var waiting = Data()
      /// The total timeout: received data waits here, where the transport's own timeout does not run.
      fileprivate var deadline: ContinuousClock.Instant?

      mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(FreshetError) -> TransferEvent? {
        if deadline == nil { deadline = request.timeouts.total.map { .now + $0 } }
        if waiting.isEmpty {
          let event = try await base.next(isolation: actor)
          guard case .body(let chunk)? = event else { return event }
          waiting = chunk
        }
        let piece = waiting.prefix(pacer.piece)
        waiting = waiting.dropFirst(piece.count)
        let moment = pacer.pass(piece.count)
        do {
          try await Task.sleep(until: deadline.map { Swift.min($0, moment) } ?? moment)
        } catch {
          throw .cancelled
        }
        if let deadline, deadline < moment {
          let url = SecretRules.standard.redacted(url: request.url.absoluteString)
          throw .timedOut(.total, url: url)
        }
        return .body(Data(piece))
      }
    }
  }
}
