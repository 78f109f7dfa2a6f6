/// What tells the stages of two fetches of a client apart.
struct FetchOptions: Sendable, Hashable {
  var policy: ResourcePolicy
  /// The bytes of an error response's body that are kept.
  var errorBodyLimit = RefusedResponse.bodyLimit
}
