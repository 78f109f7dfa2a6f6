import Freshet

/// What an operation that is swept has done wrong.
struct SweptFault: Error, CustomStringConvertible {
  let description: String
}

/// Reads all elements, or so many of a sequence that has no end of its own.
///
/// Behind the end it reads on, for there must be one only.
func read<Events: AsyncSequence>(_ events: Events, atMost count: Int = .max) async throws {
  var iterator = events.makeAsyncIterator()
  var left = count
  do {
    while left > 0, try await iterator.next(isolation: #isolation) != nil { left -= 1 }
  } catch {
    try await requireOver(&iterator)
    throw error
  }
  guard left > 0 else { return }
  try await requireOver(&iterator)
  // One that cannot fail has no other way to end early.
  if Events.Failure.self == Never.self, Task.isCancelled { throw CancellationError() }
  if count < .max { throw SweptFault(description: "it ended by itself") }
}

/// Twenty more reads find nothing but the end.
private func requireOver<Iterator: AsyncIteratorProtocol>(_ iterator: inout Iterator) async throws {
  for number in 1...20 {
    let more: Bool
    do {
      more = try await iterator.next(isolation: #isolation) != nil
    } catch {
      throw SweptFault(description: "read \(number) behind the end: \(error)")
    }
    if more { throw SweptFault(description: "read \(number) behind the end: an element") }
  }
}

/// How an operation ended, in a word.
enum SweptEnding: Hashable, CustomStringConvertible {
  case done
  case cancelled
  case failed(String)

  init(_ error: any Error) {
    self = Self.isCancellation(error) ? .cancelled : .failed("\(error)")
  }

  private static func isCancellation(_ error: any Error) -> Bool {
    switch error {
    case is CancellationError: true
    case let error as FreshetError: error == .cancelled
    case CallError<NoErrorModel>.failed(let error): error == .cancelled
    case CallError<APIError>.failed(let error): error == .cancelled
    case RouteError.failed(let error): error == .cancelled
    default: false
    }
  }

  var description: String {
    switch self {
    case .done: "done"
    case .cancelled: "cancelled"
    case .failed(let words): words
    }
  }
}
