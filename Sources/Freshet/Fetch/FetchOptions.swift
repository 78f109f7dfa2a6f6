/// The options that distinguish the stages of a client's fetches.
struct FetchOptions: Sendable, Hashable {
  var policy: ResourcePolicy
  /// The number of bytes that are kept of an error response's body; 64 KiB by default.
  var errorBodyLimit = RefusedResponse.bodyLimit
  /// The policy of repeating the requests; the client's by default.
  var retry: RetryPolicy?
}
