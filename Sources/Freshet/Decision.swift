/// One decision on the way to a value; its description is a line of the explanation.
public enum Decision: Sendable, Hashable {
  /// A store had no copy for the request.
  case missed(Resource.Source)
  /// A store could not be asked, for this reason.
  case unavailable(Resource.Source, because: String)
  /// A store had a copy.
  case hit(Resource.Source)
  /// The copy's freshness was decided.
  case checked(Reuse)
  /// The requested range was taken from the whole copy.
  case answeredPart
  /// The request's own condition matches the copy, so that the response is a 304.
  case answeredNotModified
  /// The request's `only-if-cached` forbids validating the copy.
  case onlyIfCached
  /// The stale copy was shown before its validation.
  case announcedStale
  /// The stale copy is the final value, and is refreshed in the background.
  case servedWhileRefreshing
  /// The copy has no validator.
  case withoutValidator
  /// The network transfer was shared with this number of other fetches of the same resource.
  case coalesced(with: Int)
  /// Another process was fetching it for a store that they share, and was waited for, for this time.
  case awaited(Resource.Source, Duration)
  /// The origin was asked whether the copy is still current.
  case validating(Revalidation)
  /// The origin confirmed the copy, after this time.
  case confirmed(status: HTTPStatus, Duration)
  /// The origin confirmed another version than the copy's, which proves nothing about the copy.
  case mistaken(status: HTTPStatus)
  /// The HEAD response differs from the copy.
  case changed(status: HTTPStatus)
  /// The request was redirected.
  case redirected(to: String)
  /// The rest of a body was requested, from this byte on.
  case resuming(from: Int64)
  /// The server sent the rest of the body, which matches the stored beginning.
  case resumed(from: Int64)
  /// The partial body was discarded, for this reason.
  case restarted(because: String)
  /// The request waited for the network.
  case waitedForConnectivity
  /// An attempt failed, and this one followed after a pause.
  case retried(attempt: Int, after: Duration, because: String)
  /// An attempt failed, and no other one followed, for this reason.
  case notRetried(because: String)
  /// A second request was sent, because the first one had no response for this time; the faster one is used.
  case hedged(after: Duration)
  /// A body arrived.
  indirect case downloaded(bytes: Int64, TransferMetrics)
  /// The body has the requested digest.
  case verified(SHA256Checksum)
  /// A store's copy has another digest than the requested one.
  case refused(Resource.Source)
  /// A store stored the response.
  case stored(Resource.Source)
  /// A store did not store the response, for this reason.
  case notStored(Resource.Source, because: String)
  /// The network failed, and the stale copy replaces the response.
  indirect case servedStale(because: String, kind: String)
}

extension Decision {
  static func servedStale(because error: FreshetError) -> Decision {
    .servedStale(because: error.description, kind: error.kind)
  }
}

extension TransferEvent {
  /// The decisions of the transport that the event reports, in their order.
  var decisions: [Decision] {
    switch self {
    case .redirected(let redirect):
      [.redirected(to: Redaction.shown(redirect.target))]
    case .retrying(let attempt, let pause, let reason):
      [.retried(attempt: attempt, after: pause, because: reason)]
    case .waitingForConnectivity:
      [.waitedForConnectivity]
    case .head(let head):
      head.notes.decisions
    case .sent, .interim, .body, .finished:
      []
    }
  }
}
