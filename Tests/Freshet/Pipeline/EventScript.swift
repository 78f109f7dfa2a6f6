import Freshet
import FreshetTesting

/// A pipeline that plays a script: events, gates to wait at, and perhaps a failure at the end.
struct EventScript: AsyncSequence, Sendable {
  enum Line: Sendable {
    case event(Event<Int>)
    case gate(Gate)
    case failure(FreshetError)
  }

  let lines: [Line]

  init(_ lines: Line...) {
    self.lines = lines
  }

  init(lines: [Line]) {
    self.lines = lines
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: lines[...])
  }

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<Line>

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Int>? {
      while let line = rest.popFirst() {
        switch line {
        case .event(let event): return event
        case .gate(let gate): try await gate.enter()
        case .failure(let failure): throw failure
        }
      }
      return nil
    }
  }
}

extension EventScript.Line {
  static func value(_ value: Int) -> Self { .event(.value(value)) }
  static func progress(_ completed: Int64) -> Self {
    .event(.progress(TransferProgress(completed: completed, total: 10)))
  }
}

extension Event<Int> {
  static func progress(_ completed: Int64) -> Self {
    .progress(TransferProgress(completed: completed, total: 10))
  }
}
