import FreshetEssentials

extension Resource {
  init(fresh found: Fetch.Found) {
    self.init(
      context: found.context,
      response: found.response,
      source: found.source,
      freshness: .fresh,
      isFinal: true,
      explanation: found.explanation,
      age: found.age
    )
  }

  init(stale expired: Fetch.Expired, isFinal: Bool) {
    self.init(
      context: expired.context,
      response: expired.response,
      source: expired.source,
      freshness: .stale,
      isFinal: isFinal,
      explanation: expired.explanation,
      age: expired.age
    )
  }

  init(_ downloaded: Fetch.Downloaded) {
    let source: Source
    let freshness: Freshness
    switch downloaded.change {
    case .replaced: (source, freshness) = (.network, .fresh)
    case .validated(let store): (source, freshness) = (store, .revalidated)
    }
    self.init(
      context: downloaded.context,
      response: downloaded.response,
      source: source,
      freshness: freshness,
      isFinal: true,
      explanation: downloaded.explanation,
      transfer: downloaded.transfer
    )
  }
}

extension Resource {
  /// Returns a copy of the resource with another response.
  func with(_ response: StoredResponse) -> Resource {
    var resource = self
    resource.response = response
    return resource
  }

  /// Returns the resource as the response to its request.
  ///
  /// - Throws: ``FreshetError/status(_:body:)`` for an error response.
  consuming func settled() throws(FreshetError) -> Resource {
    // In nearly all cases nothing changes, and returning the value itself avoids a copy.
    if status.isSuccess, request.method != .head { return self }
    guard !status.isSuccess else { return answer() }
    var head = response.head.telling(source, explanation)
    head.headers = headers
    throw .status(head, body: try answer().data(limit: RefusedResponse.bodyLimit))
  }

  /// Returns the resource as the response to its request, which has no body for `HEAD`.
  private consuming func answer() -> Resource {
    guard request.method == .head, response.body.length > 0 else { return self }
    return with(response.with(body: ResourceBody(Data()), digest: nil))
  }
}

extension Fetch.Expired {
  init(_ found: Fetch.Found, uses: Reuse.StaleUses) {
    self.init(
      context: found.context,
      response: found.response,
      source: found.source,
      uses: uses,
      age: found.age,
      explanation: found.explanation
    )
  }

  /// Returns the step that requests another body, with this copy to fall back on.
  ///
  /// - Parameters:
  ///   - decision: The reason to record in the explanation, if there is one.
  ///   - call: The call that has revalidated the copy, if there is one.
  /// - Returns: The step.
  func superseded(because decision: Decision? = nil, call: FetchCall? = nil) -> Fetch.Wanted {
    Fetch.Wanted(
      context,
      fallback: self,
      explanation: decision.map(explanation.adding) ?? explanation,
      call: call
    )
  }
}
