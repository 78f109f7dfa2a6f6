import FreshetEssentials

/// The properties that are the same in all steps of one fetch.
///
/// The object is shared, so that a step stays small however large its request is.
final class FetchContext: Sendable {
  let request: Request
  let key: CacheKey
  let partition: String
  /// The request's header fields and those that the transport would add, which select among stored responses.
  let headers: HTTPHeaders
  /// A Boolean value that indicates whether the transport was asked for its fields.
  let isComplete: Bool
  /// The store for what is decoded of the resource.
  let models: (any ModelSaving)?

  private init(
    request: Request,
    partition: String,
    key: CacheKey,
    headers: HTTPHeaders,
    isComplete: Bool,
    models: (any ModelSaving)?
  ) {
    self.request = request
    self.partition = partition
    self.key = key
    self.headers = headers
    self.isComplete = isComplete
    self.models = models
  }

  /// Creates a context; `added` are the fields that the transport would add, `nil` if it was not asked.
  init(
    request: Request,
    partition: String,
    added: HTTPHeaders? = nil,
    models: (any ModelSaving)? = nil
  ) {
    if let added, !added.isEmpty {
      headers = request.headers.merging(added)
      var whole = request
      whole.headers = headers
      key = CacheKey(whole, partition: partition)
    } else {
      headers = request.headers
      key = CacheKey(request, partition: partition)
    }
    self.request = request
    self.partition = partition
    isComplete = added != nil
    self.models = models
  }

  /// Returns a copy of the context with the fields that a transport would add now.
  func asking(_ transport: any Transport) -> FetchContext {
    let added = transport.addedFields(for: request)
    // Nearly all transports add nothing; no new object is needed then.
    if added.isEmpty, isComplete { return self }
    return FetchContext(request: request, partition: partition, added: added, models: models)
  }

  /// Returns a context for another request of the same fetch, with the fields that a transport would add now.
  func asking(for request: Request, _ transport: any Transport) -> FetchContext {
    FetchContext(
      request: request,
      partition: partition,
      added: transport.addedFields(for: request),
      models: models
    )
  }

  /// Returns a copy of the context with another priority.
  func at(_ priority: Request.Priority) -> FetchContext {
    with { $0.priority = priority }
  }

  /// Returns a copy of the context with another time limit for the whole.
  func within(_ total: Duration) -> FetchContext {
    with { $0.timeouts.total = total }
  }

  private func with(_ change: (inout Request) -> Void) -> FetchContext {
    var request = request
    change(&request)
    return FetchContext(
      request: request,
      partition: partition,
      key: key,
      headers: headers,
      isComplete: isComplete,
      models: models
    )
  }

  /// The key for storing the response: that of a `POST` is stored for a later `GET`.
  var storageKey: CacheKey {
    guard request.method == .post else { return key }
    var whole = request
    whole.headers = headers
    return StoragePolicy.key(for: whole, partition: partition)
  }
}

extension FetchContext {
  /// Returns the fields that selected a response: those that were sent, if they are known.
  ///
  /// They may differ from ``headers``: another user may have signed in since the lookups.
  func headers(behind head: ResponseHead) -> HTTPHeaders {
    guard let sent = head.notes.sent else { return headers }
    if sent.isEmpty, headers.isEmpty { return sent }
    // After a redirect, the fields for this URL and for the other one have selected the response.
    guard isAnswered(by: head.url) else { return sent.merging(headers) }
    if sent.isEmpty { return sent }
    var chosen = sent
    // The cache's own conditions and ranges do not select a response.
    for name in Self.conditions where chosen.contains(name) {
      let own = request.headers[values: name]
      chosen.remove(name)
      for value in own { chosen.add(value, for: name) }
    }
    return chosen
  }

  /// Returns whether a URL is that of the request, and not the target of a redirect.
  func isAnswered(by url: URL) -> Bool {
    url.hasSameKey(as: request.url)
  }

  private static let conditions: [HTTPHeaders.Name] = [
    .ifNoneMatch, .ifModifiedSince, .ifRange, .range,
  ]

  /// Returns the fields that prevent later lookups from finding the response: they were sent, but the
  /// transport does not report them.
  ///
  /// Authentication and cookies may have changed in the meantime; the transport reports those for the
  /// next fetch.
  func unknownFields(of response: StoredResponse) -> [String] {
    if response.varying.match(headers) { return [] }
    let names = response.varying.mismatches(headers)
    guard isComplete, isAnswered(by: response.head.url) else { return names }
    return names.filter { name in
      let name = HTTPHeaders.Name(name)
      return name != .authorization && name != .cookie && !headers.contains(name)
    }
  }
}
