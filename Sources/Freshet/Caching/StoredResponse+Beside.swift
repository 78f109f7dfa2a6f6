extension StoredResponse {
  /// A copy of a resource that a store has beside a newer error.
  ///
  /// An error does not replace a copy: it answers while it is fresh. Afterwards the copy is
  /// validated, and may replace failures in the meantime.
  struct Beside: Sendable {
    let response: StoredResponse
    /// The store that has it.
    let source: Resource.Source
  }

  /// A Boolean value that indicates whether it is an error, or a redirect that was not followed: no
  /// copy of a resource.
  var isRefusal: Bool { !head.status.isSuccess }

  /// The copy of the resource: the response itself, or the one that is beside an error.
  var copyOfResource: StoredResponse? { isRefusal ? beside?.response : self }

  /// Returns a Boolean value that indicates whether one replaces the other in a store, which has an
  /// error and a copy for the same varying fields.
  func sharesPlace(with other: StoredResponse) -> Bool {
    isRefusal == other.isRefusal && varying == other.varying
  }

  /// Returns a Boolean value that indicates whether a newly received copy makes this error
  /// obsolete: it answers the same requests, and is not older.
  func isEnded(by copy: StoredResponse) -> Bool {
    isRefusal && !copy.isRefusal && !copy.record.isOutdated && varying.agrees(with: copy.varying)
      && !isNewer(than: copy)
  }
}
