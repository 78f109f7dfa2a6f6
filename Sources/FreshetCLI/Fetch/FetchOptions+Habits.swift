import Foundation
import Freshet

/// The options that cURL has too, with the same meaning.
extension FetchOptions {
  /// Takes an option; `false` if it is none of these.
  mutating func applyHabit(
    _ option: String,
    _ arguments: inout Arguments
  ) throws(UsageError) -> Bool {
    switch option {
    case "--head", "-I": heads = .only
    case "--include", "-i": if heads == .none { heads = .included }
    case "--fail", "-f": hidesErrorResponses = true
    case "--location", "-L": redirects = Self.redirectLimit
    case "--silent", "-s": isSilent = true
    case "--show-error", "-S": showsErrors = true
    case "--verbose", "-v": traces = true
    case "--max-time", "-m": maximumTime = try positiveSeconds(option, &arguments)
    case "--connect-timeout": connectTime = try positiveSeconds(option, &arguments)
    case "--limit-rate": rate = try ByteRate(text: try arguments.value(of: option))
    case "--retry": retries = try Self.count(try arguments.value(of: option), of: option)
    case "--retry-delay":
      retryDelay = try Self.seconds(try arguments.value(of: option), of: option)
    default: return false
    }
    return true
  }

  func checkHabits() throws(UsageError) {
    guard into == nil || output == nil && !outputIsStandard else {
      throw UsageError("--into and --output exclude each other: use one of them for the body")
    }
    guard heads != .only || method == nil && data.isEmpty else {
      throw UsageError("--head cannot be used with --request or --data")
    }
    guard heads != .included || format == .text || output != nil || into != nil else {
      throw UsageError("--include and --json exclude each other: both write to standard output")
    }
    guard retryDelay == nil || retries != nil else {
      throw UsageError("--retry-delay needs --retry")
    }
  }

  /// As many as cURL follows.
  private static let redirectLimit = 50

  private func positiveSeconds(
    _ option: String,
    _ arguments: inout Arguments
  ) throws(UsageError) -> Duration? {
    let duration = try Self.seconds(try arguments.value(of: option), of: option)
    // As with cURL, nothing is no limit.
    return duration == .zero ? nil : duration
  }

  private static func count(_ text: String, of option: String) throws(UsageError) -> Int {
    guard let count = Int(text), (0...1_000_000).contains(count) else {
      throw UsageError("\(option) takes a number")
    }
    return count
  }

  // MARK: Values

  /// The amount of output on standard error.
  var verbosity: Verbosity { isSilent ? (showsErrors ? .errors : .silent) : .usual }

  /// When calls are made again: as cURL does it, after a second, two, four and so on.
  var retryPolicy: RetryPolicy? {
    guard let retries else { return nil }
    // As with cURL, a delay of 0 is none of its own.
    let delay = retryDelay == .zero ? nil : retryDelay
    var policy = RetryPolicy(retries: retries, after: delay ?? .seconds(1))
    if delay == nil {
      policy.growth = .doubling
      policy.maximumDelay = .seconds(600)
    }
    policy.statuses = [408, 429, 500, 502, 503, 504]
    policy.maximumRetryAfter = .seconds(3_600)
    policy.eligibility = .all
    policy.budget = nil
    return policy
  }

  /// The request with the times and the redirects that were asked for.
  func limited(_ request: Request) -> Request {
    guard maximumTime != nil || connectTime != nil || redirects != nil else { return request }
    var request = request
    if let redirects { request.redirects = RedirectPolicy(maximumCount: redirects) }
    if let maximumTime {
      let usual = request.timeouts
      request.timeouts.total = maximumTime
      // Who allows an hour for the whole allows it for the first byte.
      request.timeouts.firstByte = usual.firstByte.map { max($0, maximumTime) }
      request.timeouts.idle = usual.idle.map { max($0, maximumTime) }
    }
    if let connectTime { request.timeouts.connect = connectTime }
    return request
  }
}
