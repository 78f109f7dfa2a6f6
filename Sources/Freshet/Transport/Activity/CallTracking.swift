/// The activity and the lifecycle with which calls are registered.
///
/// It has no reference to the transport, so that one that keeps requests is not kept by them.
struct CallTracking: Sendable {
  let activity: ClientActivity
  /// The lifecycle of the client that makes the calls; a client that was shut down refuses them.
  var lifecycle: ClientLifecycle?
  /// A Boolean value that indicates whether the calls are parts of fetches, which are observed as a whole.
  var isOfFetch = false
}
