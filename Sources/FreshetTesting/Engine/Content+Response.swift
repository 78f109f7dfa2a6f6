import Freshet
import FreshetEssentials

extension LoopbackServer.Content {
  /// Returns the response to a request for this representation by RFC 9110 section 13.2.2.
  func response(method: HTTPMethod, headers request: HTTPHeaders) -> LoopbackServer.Message {
    guard method == .get || method == .head else {
      return LoopbackServer.Message(status: 405, headers: ["Allow": "GET, HEAD"])
    }
    if let condition = request.combined(.ifMatch), !matches(condition) {
      return LoopbackServer.Message(status: .preconditionFailed)
    }
    let isEncoded = gzip != nil && !request.contains(.range) && acceptsGzip(request)
    let tag = isEncoded ? weakTag : eTag
    if isUnchanged(request) {
      return LoopbackServer.Message(status: .notModified, headers: validators(tag))
    }
    var described = validators(tag).merging(HTTPHeaders(headers.filter { Self.isOfBody($0.name) }))
    described[.contentType] = described[.contentType] ?? type
    described["Accept-Ranges"] = described["Accept-Ranges"] ?? "bytes"
    if isEncoded, let gzip {
      described[.contentEncoding] = "gzip"
      return LoopbackServer.Message(status: .ok, headers: described, body: .bytes(gzip))
    }
    return part(method: method, request: request, headers: described)
  }

  private func part(
    method: HTTPMethod,
    request: HTTPHeaders,
    headers: HTTPHeaders
  ) -> LoopbackServer.Message {
    var headers = headers
    let length = bytes.length
    let isWanted = method == .get && rangeApplies(request)
    switch isWanted ? WantedRange(request[.range], length: length) : .whole {
    case .whole:
      return LoopbackServer.Message(
        status: .ok,
        headers: headers,
        body: .part(bytes, 0..<length)
      )
    case .part(let range):
      headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length)"
      return LoopbackServer.Message(
        status: .partialContent,
        headers: headers,
        body: .part(bytes, range)
      )
    case .unsatisfiable:
      var headers = validators(eTag)
      headers[.contentRange] = "bytes */\(length)"
      return LoopbackServer.Message(status: .rangeNotSatisfiable, headers: headers)
    }
  }

  // MARK: - Header fields

  private var weakTag: String? { eTag.map { $0.hasPrefix("W/") ? $0 : "W/" + $0 } }

  /// Returns the fields that a 200 and a 304 have in common.
  private func validators(_ tag: String?) -> HTTPHeaders {
    var fields = HTTPHeaders(headers.filter { !Self.isOfBody($0.name) })
    fields[.eTag] = tag ?? fields[.eTag]
    if let lastModified { fields[.lastModified] = HTTPDate.format(lastModified) }
    if let cacheControl { fields[.cacheControl] = cacheControl }
    if gzip != nil { fields.add("Accept-Encoding", for: .vary) }
    return fields
  }

  /// Returns a Boolean value that indicates whether a field describes the body, so that a 304 has none of it.
  private static func isOfBody(_ name: HTTPHeaders.Name) -> Bool {
    let name = name.rawValue.lowercased()
    return name.hasPrefix("content-") && name != "content-location"
      && !name.hasPrefix("content-security-policy")
  }

  /// Returns a Boolean value that indicates whether `Accept-Encoding` allows gzip.
  private func acceptsGzip(_ request: HTTPHeaders) -> Bool {
    var anything = false
    for item in request.members(of: .acceptEncoding) {
      let parts = item.lowercased().split(separator: ";").map { ASCII.trimmed($0) }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      let isAllowed = weight.map { (Double($0.dropFirst(2)) ?? 0) > 0 } ?? true
      if parts.first == "gzip" || parts.first == "x-gzip" { return isAllowed }
      if parts.first == "*" { anything = isAllowed }
    }
    return anything
  }

  // MARK: - Conditions

  private func matches(_ condition: String) -> Bool {
    if condition == "*" { return true }
    guard let tag = eTag.flatMap({ EntityTag($0) }) else { return false }
    return tags(condition).contains { $0.matchesStrongly(tag) }
  }

  private func isUnchanged(_ request: HTTPHeaders) -> Bool {
    if let condition = request.combined(.ifNoneMatch) {
      if condition == "*" { return true }
      guard let tag = eTag.flatMap({ EntityTag($0) }) else { return false }
      return tag.matchesWeakly(anyOf: condition)
    }
    guard let lastModified, let since = request[.ifModifiedSince].flatMap({ HTTPDate.parse($0) })
    else {
      return false
    }
    return wholeSeconds(lastModified) <= wholeSeconds(since)
  }

  /// The tags of a list; what is not a tag is left out.
  private func tags(_ list: String) -> [EntityTag] {
    FieldList.members(of: list).compactMap { EntityTag(String($0)) }
  }

  private func rangeApplies(_ request: HTTPHeaders) -> Bool {
    guard let condition = request[.ifRange] else { return true }
    if let tag = EntityTag(condition) {
      return eTag.flatMap { EntityTag($0) }.map { $0.matchesStrongly(tag) } ?? false
    }
    guard let lastModified, let date = HTTPDate.parse(condition) else { return false }
    return wholeSeconds(lastModified) == wholeSeconds(date)
  }

  private func wholeSeconds(_ date: Date) -> Int {
    Int(date.timeIntervalSince1970.rounded(.down))
  }
}
