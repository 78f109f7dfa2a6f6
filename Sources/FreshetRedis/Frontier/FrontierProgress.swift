#if Redis && !canImport(Darwin)
/// The progress of a frontier: of all of its workers together.
public struct FrontierProgress: Sendable, Hashable {
  /// The number of different requests that were added.
  public var totalItems = 0
  /// The number of requests that were fetched and acknowledged.
  public var completedItems = 0
  /// The number of requests that have failed for good, see ``Frontier/deadRequests(limit:)``.
  public var failedItems = 0
  /// The number of requests that workers have taken.
  public var takenItems = 0
  /// The number of failed attempts, after which the request was tried again or has failed for good.
  public var failedAttempts = 0
  /// The number of requests that were taken over from workers that were not heard of any more.
  public var takeovers = 0
  /// A Boolean value that indicates whether the frontier is closed, see ``Frontier/close()``.
  public var isClosed = false

  /// Makes the progress of an empty frontier.
  public init() {}

  /// The number of requests that have ended, one way or the other.
  public var endedItems: Int { completedItems + failedItems }
  /// The number of requests that wait, also for another attempt.
  public var waitingItems: Int { max(0, totalItems - endedItems - takenItems) }
  /// A Boolean value that indicates whether the frontier is closed and all requests have ended.
  public var hasEnded: Bool { isClosed && endedItems >= totalItems }
  /// The fraction of the requests so far that have ended, 0 to 1; `nil` if there are none.
  public var fraction: Double? { totalItems > 0 ? Double(endedItems) / Double(totalItems) : nil }
}

extension FrontierProgress {
  init?(_ reply: RedisReply) {
    guard let found = reply.elements, found.count == 8 else { return nil }
    let numbers = found.map { Int($0.number ?? 0) }
    totalItems = numbers[0]
    completedItems = numbers[1]
    failedItems = numbers[2]
    isClosed = numbers[3] == 1
    failedAttempts = numbers[4]
    takeovers = numbers[5]
    takenItems = numbers[6]
  }
}
#endif
