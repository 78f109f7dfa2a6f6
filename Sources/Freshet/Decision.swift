/// One decision on the way to a value; its description is a line of the explanation.
public enum Decision: Sendable, Hashable {
  /// A store had nothing for the request.
  case missed(Resource.Origin)
  /// A store had a copy.
  case hit(Resource.Origin)
  /// The copy's freshness was decided.
  case checked(Reuse)
  /// The range that was asked for was cut out of the whole copy.
  case answeredPart
  /// The request's own condition names the copy, which answers with 304.
  case answeredNotModified
  /// The request's `only-if-cached` keeps the copy from being validated.
  case onlyIfCached
  /// The stale copy was shown before its validation.
  case announcedStale
  /// The stale copy is the value, and it is refreshed behind that.
  case servedWhileRefreshing
  /// The copy has nothing that it could be validated with.
  case withoutValidator
  /// The network's part was shared with so many other fetches of the same thing.
  case coalesced(with: Int)
  /// The origin was asked whether the copy is still right.
  case validating(Revalidation)
  /// The origin said that it is, after this time.
  case confirmed(status: HTTPStatus, Duration)
  /// The origin confirmed another version than the copy's, which says nothing about the copy.
  case mistaken(status: HTTPStatus)
  /// The HEAD response differs from the copy.
  case changed(status: HTTPStatus)
  /// The request went elsewhere.
  case redirected(to: String)
  /// The rest of a body was asked for, from this byte on.
  case resuming(from: Int64)
  /// The server sent the rest, which belongs to what was there.
  case resumed(from: Int64)
  /// What had arrived was of no use, for this reason.
  case restarted(because: String)
  /// An attempt failed, and this one followed after a pause.
  case retried(attempt: Int, after: Duration, because: String)
  /// A body arrived.
  indirect case downloaded(bytes: Int64, TransferMetrics)
  /// The body has the digest that was asked for.
  case verified(SHA256Digest)
  /// A store's copy has another digest than was asked for.
  case refused(Resource.Origin)
  /// A store keeps the response.
  case stored(Resource.Origin)
  /// A store does not keep the response, for this reason.
  case notStored(Resource.Origin, because: String)
  /// The network failed, and the stale copy stands in.
  indirect case servedStale(because: String, kind: String)
}

extension Decision {
  static func servedStale(because error: FreshetError) -> Decision {
    .servedStale(because: error.description, kind: error.kind)
  }
}
