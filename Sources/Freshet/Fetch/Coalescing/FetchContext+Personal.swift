extension FetchContext {
  /// Returns whether a response may be for one user only: its requests had credentials, or other fields that
  /// selected the response, which the transport does not report.
  ///
  /// - Parameters:
  ///   - head: The head of the response, with its notes.
  ///   - transport: The transport, which is asked again: what it reports may have changed in the meantime.
  /// - Returns: A Boolean value.
  func isPersonal(_ head: ResponseHead, over transport: any Transport) -> Bool {
    guard let sent = head.notes.sent, sent != headers || !head.notes.earlier.isEmpty else {
      return false
    }
    let chosen = headers(behind: head)
    // A validation has only added its conditions.
    if chosen == headers, head.notes.earlier.isEmpty { return false }
    let varying = VaryingFields(response: head.headers, request: chosen)
    let isPublic = CacheControl(head.headers).flags.contains(.isPublic)
    let credentials =
      isPublic
      ? [] : (Array(sent) + head.notes.earlier).filter { request.redirects.isSecret($0.name) }
    func isKnown(_ reported: [HTTPHeaders]) -> Bool {
      reported.contains { varying.match($0) }
        && credentials.allSatisfy { field in
          reported.contains { $0[values: field.name].contains(field.value) }
        }
    }
    if isKnown([headers]) { return false }
    var reported = [headers, asking(transport).headers]
    if !isAnswered(by: head.url) {
      var last = request
      last.url = head.url
      reported.append(headers.merging(transport.addedFields(for: last)))
    }
    return !isKnown(reported)
  }
}
