import Foundation

/// What stays the same through all steps of one fetch.
///
/// It is shared, so that a step is a few references however large its request is.
final class FetchContext: Sendable {
  let request: Request
  let key: CacheKey
  let partition: String
  /// The request's header fields and those that the transport would add: what chooses among stored
  /// responses.
  let headers: HTTPHeaders
  /// Whether the transport has been asked for them.
  let isComplete: Bool

  private init(
    request: Request,
    partition: String,
    key: CacheKey,
    headers: HTTPHeaders,
    isComplete: Bool
  ) {
    self.request = request
    self.partition = partition
    self.key = key
    self.headers = headers
    self.isComplete = isComplete
  }

  /// `added` is what the transport would add, `nil` if it has not been asked.
  init(request: Request, partition: String, added: HTTPHeaders? = nil) {
    self.request = request
    self.partition = partition
    isComplete = added != nil
    guard let added, !added.isEmpty else {
      headers = request.headers
      key = CacheKey(request, partition: partition)
      return
    }
    headers = request.headers.merging(added)
    var whole = request
    whole.headers = headers
    key = CacheKey(whole, partition: partition)
  }

  /// The same fetch, with what a transport would add now.
  func asking(_ transport: any Transport) -> FetchContext {
    let added = transport.addedFields(for: request)
    // Nearly all transports add nothing, and nothing is made for them.
    if added.isEmpty, isComplete { return self }
    return FetchContext(request: request, partition: partition, added: added)
  }

  /// The same fetch at another priority.
  func at(_ priority: Request.Priority) -> FetchContext {
    var request = request
    request.priority = priority
    return FetchContext(
      request: request,
      partition: partition,
      key: key,
      headers: headers,
      isComplete: isComplete
    )
  }

  /// Under what a response is kept: what `POST` got answers a later `GET`.
  var storageKey: CacheKey {
    guard request.method == .post else { return key }
    var whole = request
    whole.headers = headers
    return StoragePolicy.key(for: whole, partition: partition)
  }
}

extension FetchContext {
  /// The fields that chose a response: those that were sent, as far as that is known.
  ///
  /// They may differ from ``headers``: somebody else may have signed in since the stores were asked.
  func headers(behind head: ResponseHead) -> HTTPHeaders {
    guard let sent = head.notes.sent else { return headers }
    if sent.isEmpty, headers.isEmpty { return sent }
    // Of a redirect, both what asked here and what asked there have chosen.
    guard isAnswered(by: head.url) else { return sent.merging(headers) }
    if sent.isEmpty { return sent }
    var chosen = sent
    // Conditions and ranges of the cache's own choose nothing.
    for name in Self.conditions where chosen.contains(name) {
      let own = request.headers[values: name]
      chosen.remove(name)
      for value in own { chosen.add(value, for: name) }
    }
    return chosen
  }

  /// Whether the URL is the one that was asked, and not one that it led to.
  private func isAnswered(by url: URL) -> Bool {
    url.absoluteString == request.url.absoluteString || CacheKey(url) == CacheKey(request.url)
  }

  private static let conditions: [HTTPHeaders.Name] = [
    .ifNoneMatch, .ifModifiedSince, .ifRange, .range,
  ]

  /// The fields by which no fetch would find the response: they were sent, and the transport does not
  /// tell them.
  ///
  /// Whoever signs in or out on the way changes what proves who asks; the next fetch is told that.
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

/// The figures of a transfer, shared for the same reason.
final class TransferRecord: Sendable {
  let metrics: TransferMetrics

  init(_ metrics: TransferMetrics) {
    self.metrics = metrics
  }
}
