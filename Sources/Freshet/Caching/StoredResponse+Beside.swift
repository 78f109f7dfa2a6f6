extension StoredResponse {
  /// A copy of a resource that a store has beside an error which is newer.
  ///
  /// An error takes no copy's place: it answers as long as it says, and afterwards the origin is asked
  /// about the copy, which may stand in for failures meanwhile.
  struct Beside: Sendable {
    let response: StoredResponse
    /// The store that has it.
    let origin: Resource.Origin
  }

  /// Whether it is an error, or a redirect that was the answer: no copy of a resource.
  var isRefusal: Bool { !head.status.isSuccess }

  /// The copy of the resource: the response itself, or the one that is beside an error.
  var copyOfResource: StoredResponse? { isRefusal ? beside?.response : self }

  /// Whether both are kept in the same place: a store has an error and a copy for the same varying
  /// fields.
  func sharesPlace(with other: StoredResponse) -> Bool {
    isRefusal == other.isRefusal && varying == other.varying
  }

  /// Whether a copy that has come makes this error obsolete: it answers the same requests, and is not
  /// older.
  func isEnded(by copy: StoredResponse) -> Bool {
    isRefusal && !copy.isRefusal && !copy.record.isOutdated && varying.agrees(with: copy.varying)
      && !isNewer(than: copy)
  }
}
