import FreshetEssentials

/// The stored responses that a request makes obsolete (RFC 9111 section 4.4).
enum Invalidation {
  /// Returns the keys whose responses are to be removed after an exchange.
  ///
  /// After an unsafe or unknown method without an error (2xx or 3xx), these are the request's URL,
  /// the URL that answered in the end, and the URLs in `Location` and `Content-Location`, the last
  /// two only within the origin of the URL that answered. Either field has one value (RFC 9110 sections
  /// 10.2.2 and 8.7): of several lines the first counts. A `Host` field of the request is part of
  /// the keys at its origin. Each key includes those that extend it.
  ///
  /// - Parameters:
  ///   - request: The request that was sent.
  ///   - head: The head of the response.
  ///   - partition: The partition of the entries, see ``CacheKey``; `""` by default.
  /// - Returns: The keys, each once; empty after a safe request or an error.
  static func keys(
    after request: Request,
    _ head: ResponseHead,
    partition: String = ""
  ) -> [CacheKey] {
    guard !request.method.isSafe, head.status.isSuccess || head.status.isRedirection else {
      return []
    }
    let named = [HTTPHeaders.Name.location, .contentLocation]
      .compactMap { head.headers[$0] }
      .compactMap { URL(unicode: $0, relativeTo: head.url)?.absoluteURL }
      .filter { $0.hasSameOrigin(as: head.url) }
    var keys: [CacheKey] = []
    for url in [request.url, head.url] + named {
      var target = Request(.get, url)
      if url.hasSameOrigin(as: request.url) {
        target.headers[.host] = request.headers[.host]
      }
      let key = CacheKey(target, partition: partition)
      if !keys.contains(key) { keys.append(key) }
    }
    return keys
  }
}
