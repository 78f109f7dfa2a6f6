/// One decision on the way to a value; its description is a line of the explanation.
public enum Decision: Sendable, Hashable {
  /// A store had nothing for the request.
  case missed(Resource.Origin)
  /// A store had a copy.
  case hit(Resource.Origin)
  /// The copy's freshness was decided.
  case checked(Reuse)
  /// The stale copy was shown before its validation.
  case announcedStale
  /// The copy has nothing that it could be validated with.
  case withoutValidator
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
  /// A body arrived.
  indirect case downloaded(bytes: Int64, TransferMetrics)
  /// The body has the digest that was asked for.
  case verified(SHA256Digest)
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
