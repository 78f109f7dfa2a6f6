import FreshetEssentials

/// A request as plans and journals store it.
///
/// The values of credentials and cookies are omitted: they belong to the client's headers. A user and a
/// password in a URL are replaced by a word, and the request is refused as before.
package struct RequestRecord: Codable {
  private var method: String?
  /// The URL; for a path, the one that is only for display.
  private var url: URL
  /// The text of a path; `nil` in records of full URLs and in those of versions that stored only the URL.
  private var path: String?
  /// The reason why no URL can be created from the path.
  private var problem: String?
  /// A Boolean value that indicates whether the path is relative to the base URL's origin.
  private var atOrigin: Bool?
  private var headers: [[String]]?
  /// The client's fields that it omits.
  private var omitted: [String]?
  private var identity: Identity?
  private var priority: Int?
  /// The bits of the networks, unless all are allowed.
  private var networks: UInt8?
  private var tags: [String]?
  /// The count, 1 if a downgrade is allowed, and the bits of what was set; `nil` if nothing was.
  private var redirects: [Int]?
  /// The fields that are secrets although their names do not show it.
  private var secrets: [String]?
  /// Connect, first byte, idle and total in milliseconds; -1 for none.
  private var timeouts: [Int64]?
  /// The longest wait for the network in milliseconds, -1 for any; `nil` if it does not wait.
  private var waits: Int64?
  /// The bits of the timeouts that were set; `nil` if none were, and in records of earlier versions.
  private var chosen: UInt8?
  /// `false` if it was set not to wait for the network.
  private var waitsForConnectivity: Bool?
  /// Header count, header bytes, body bytes (-1 for any), decompression ratio, and the bits of those that were
  /// set; `nil` if none were.
  private var limits: [Int64]?

  private struct Identity: Codable {
    var isWhole: Bool
    var headers: [String]
  }

  /// The value of longer timeouts, in milliseconds: some hundred thousand years.
  private static let longest = 9e15

  /// Makes the record of a request; `nil` if it has a body, which cannot be stored.
  package init?(_ request: Request) {
    guard request.body == nil else { return nil }
    let usual = Request(request.url)
    url = request.url.hidingUser
    if request.method != .get { method = request.method.rawValue }
    if case .path(let path) = request.target {
      self.path = path.text.hidingUser
      problem = path.problem
      if path.isAtOrigin { atOrigin = true }
    }
    if !request.omittedHeaders.isEmpty {
      omitted = request.omittedHeaders.map(\.rawValue).sorted()
    }
    if request.cacheIdentity != .url {
      identity = Identity(
        isWhole: request.cacheIdentity.scope == .request,
        headers: request.cacheIdentity.headers.map(\.rawValue)
      )
    }
    let fields = request.headers.filter { !request.redirects.isSecret($0.name) }
    if !fields.isEmpty { headers = fields.map { [$0.name.rawValue, $0.value] } }
    if request.priority != usual.priority { priority = request.priority.rawValue }
    if request.networks != usual.networks { networks = request.networks.rawValue }
    if !request.tags.isEmpty { tags = request.tags.sorted() }
    if !request.redirects.secretHeaders.isEmpty {
      secrets = request.redirects.secretHeaders.map(\.rawValue).sorted()
    }
    let redirects = request.redirects
    if !redirects.choices.isEmpty {
      self.redirects = [
        redirects.maximumCount, redirects.allowsDowngrade ? 1 : 0, Int(redirects.choices.bits),
      ]
    }
    if !request.timeouts.choices.isEmpty { set(request.timeouts) }
    let limits = request.limits
    if !limits.choices.isEmpty {
      self.limits = [
        Int64(limits.headerCount), Int64(limits.headerBytes), limits.bodyBytes ?? -1,
        Int64(limits.decompressionRatio), Int64(limits.choices.bits),
      ]
    }
  }

  private mutating func set(_ timeouts: Request.Timeouts) {
    func milliseconds(_ duration: Duration?) -> Int64 {
      duration.map { Int64(min($0 / .milliseconds(1), Self.longest)) } ?? -1
    }
    chosen = timeouts.choices.bits
    self.timeouts = [timeouts.connect, timeouts.firstByte, timeouts.idle, timeouts.total]
      .map(milliseconds)
    if timeouts.waitsForConnectivity || timeouts.choices.contains(.connectivity) {
      waits = milliseconds(timeouts.connectivity)
    }
    if !timeouts.waitsForConnectivity { waitsForConnectivity = false }
  }

  /// The timeouts of the record; only those that were set count.
  private var storedTimeouts: Request.Timeouts {
    func duration(_ milliseconds: Int64) -> Duration? {
      milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }
    var stored = Request.Timeouts()
    if let timeouts, timeouts.count == 4 {
      stored.connect = duration(timeouts[0])
      stored.firstByte = duration(timeouts[1])
      stored.idle = duration(timeouts[2])
      stored.total = duration(timeouts[3])
    }
    if waits != nil || chosen != nil {
      stored.waitsForConnectivity = waitsForConnectivity ?? true
      stored.connectivity = waits.flatMap(duration)
    }
    // Earlier versions stored all of them.
    return chosen.map { stored.choosing($0) } ?? stored
  }

  /// The limits of the record; only those that were set count.
  private var storedLimits: ResponseLimits {
    guard let limits, limits.count >= 4 else { return ResponseLimits() }
    let stored = ResponseLimits {
      $0.headerCount = Int(limits[0])
      $0.headerBytes = Int(limits[1])
      $0.bodyBytes = limits[2] < 0 ? nil : limits[2]
      $0.decompressionRatio = Int(limits[3])
    }
    // Earlier versions stored all of them.
    let chosen = limits.dropFirst(4).first.map { UInt8(truncatingIfNeeded: $0) }
    return chosen.map { stored.choosing($0) } ?? stored
  }

  /// The request of the record.
  package var request: Request {
    var request = Request(method.map { HTTPMethod($0) } ?? .get, url)
    if path != nil || atOrigin == true { request.target = .path(target) }
    request.omittedHeaders = Set((omitted ?? []).map { HTTPHeaders.Name($0) })
    if let identity {
      let headers = identity.headers.map { HTTPHeaders.Name($0) }
      request.cacheIdentity = identity.isWhole ? .request(with: headers) : .url(with: headers)
    }
    for field in headers ?? [] where field.count == 2 {
      request.headers.add(field[1], for: HTTPHeaders.Name(field[0]))
    }
    request.priority = priority.flatMap { Request.Priority(rawValue: $0) } ?? request.priority
    if let networks { request.networks = NetworkAccess(rawValue: networks) }
    request.tags = Set(tags ?? [])
    if let redirects, redirects.count >= 2 {
      let policy = RedirectPolicy(maximumCount: redirects[0], allowsDowngrade: redirects[1] == 1)
      // Earlier versions stored the whole.
      let choices = redirects.dropFirst(2).first.map { UInt8(truncatingIfNeeded: $0) }
      request.redirects = choices.map { policy.choosing($0) } ?? policy
    }
    request.redirects.secretHeaders = Set((secrets ?? []).map { HTTPHeaders.Name($0) })
    request.timeouts.complete(by: storedTimeouts)
    request.limits.complete(by: storedLimits)
    return request
  }

  /// The record of what makes two requests the same: the method, the target without its fragment, and the
  /// header fields.
  package var essence: RequestRecord {
    var essence = self
    essence.url = URL(string: url.absoluteString.withoutFragment) ?? url
    essence.path = path?.withoutFragment
    (essence.priority, essence.networks, essence.tags, essence.identity) = (nil, nil, nil, nil)
    (essence.redirects, essence.secrets) = (nil, nil)
    (essence.timeouts, essence.waits, essence.chosen) = (nil, nil, nil)
    (essence.waitsForConnectivity, essence.limits) = (nil, nil)
    return essence
  }

  private var target: RequestPath {
    // Anyone may have edited the file, so the path is checked again.
    let path = RequestPath(raw: path ?? url.relativeString)
    return RequestPath(
      text: path.text,
      problem: problem ?? path.problem,
      isAtOrigin: atOrigin == true
    )
  }
}

extension URL {
  /// The URL with a word in place of its user and password.
  var hidingUser: URL {
    let text = absoluteString
    let shown = text.hidingUser
    return shown == text ? self : URL(string: shown) ?? URL(filePath: "/")
  }
}

extension String {
  fileprivate var withoutFragment: String { String(prefix { $0 != "#" }) }

  /// A URL with a word in place of its user and password; any other text unchanged.
  fileprivate var hidingUser: String {
    guard let user = URLParts.user(of: self) else { return self }
    return self[..<user.startIndex] + "redacted" + self[user.endIndex...]
  }
}
