extension StoredResponse {
  /// Whether what was made of the body may be kept: the response does not say `no-store`.
  package var mayBeKept: Bool { !record.control.flags.contains(.noStore) }

  /// Whether what was made of the body may answer a request with these header fields, which hold what
  /// the transport adds.
  package func answers(_ headers: HTTPHeaders) -> Bool { fit(headers) != .none }

  /// Whether it may be shown before the origin is asked, whatever its age.
  package var mayBeShownStale: Bool {
    mayBeKept && !record.mustValidate && !record.control.flags.contains(.mustRevalidate)
  }
}
