extension StoredResponse {
  /// A Boolean value that indicates whether values made from the body may be stored: the response
  /// has no `no-store`.
  package var mayBeKept: Bool { !record.control.flags.contains(.noStore) }

  /// Returns a Boolean value that indicates whether values made from the body may answer a request
  /// with these header fields, which include those that the transport adds.
  package func answers(_ headers: HTTPHeaders) -> Bool { fit(headers) != .none }

  /// A Boolean value that indicates whether it may be shown before the origin is asked, whatever
  /// its age.
  package var mayBeShownStale: Bool {
    mayBeKept && !record.mustValidate && !record.control.flags.contains(.mustRevalidate)
  }
}
