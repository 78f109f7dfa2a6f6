import FreshetEssentials

/// The timeouts, redirects, limits, networks, query parameters and deadline that a client adds to its requests.
struct RequestDefaults: Sendable {
  private let configuration: Client.Configuration
  /// The parameters, encoded, by their names, or why they cannot be; `nil` if there are none.
  private let query: Query?

  private typealias Query = Result<[(name: String, text: String)], FreshetError>

  init(_ configuration: Client.Configuration) {
    self.configuration = configuration
    let encoded = Query { () throws(FreshetError) in
      try QueryEncoding().encode(configuration.query)
        .split(separator: "&")
        .map { (name: PercentEncoding.name(of: $0), text: String($0)) }
    }
    if case .success(let items) = encoded, items.isEmpty { query = nil } else { query = encoded }
  }

  /// Completes a request whose URL is resolved.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isEndless: `true` for a stream, to which only its own deadline applies.
  func complete(_ request: inout Request, isEndless: Bool) {
    let (timeouts, networks) = (configuration.timeouts, configuration.networks)
    // A request whose properties are set is copied.
    if !timeouts.choices.isEmpty {
      request.timeouts.complete(by: timeouts, without: isEndless ? .total : nil)
    }
    if let deadline = configuration.deadline, !isEndless {
      request.timeouts.total = min(request.timeouts.total ?? deadline, deadline)
    }
    if !networks.isSuperset(of: request.networks) { request.networks.formIntersection(networks) }
    completeRedirectsAndLimits(of: &request, isEndless: isEndless)
    if let query { add(query, to: &request) }
    expectContinue(in: &request)
  }

  /// Adds the client's redirects and limits, where the request sets none; to an endless one no limit of its body.
  func completeRedirectsAndLimits(of request: inout Request, isEndless: Bool = false) {
    let (redirects, limits) = (configuration.redirects, configuration.limits)
    if redirects != .follow {
      request.redirects.complete(by: redirects)
      request.redirects.secretHeaders.formUnion(redirects.secretHeaders)
    }
    if !limits.choices.isEmpty {
      request.limits.complete(by: limits, without: isEndless ? .bodyBytes : nil)
    }
  }

  /// Has the server ask for a long body.
  func expectContinue(in request: inout Request) {
    guard let least = configuration.expectContinueLength, let body = request.body,
      !request.headers.contains("Expect")
    else { return }
    // A file that cannot be read fails when it is sent.
    if let length = try? body.currentLength(), length >= max(1, least) {
      request.headers["Expect"] = "100-continue"
    }
  }

  /// Adds the parameters that the URL of a further page lacks, at the origin that they are for.
  ///
  /// - Parameters:
  ///   - page: The request for the page, whose URL is resolved.
  ///   - first: The URL of the first page; the parameters are for its origin if there is no base URL.
  func completeQuery(of page: inout Request, after first: URL) {
    guard let query, (configuration.baseURL ?? first).hasSameOrigin(as: page.url) else { return }
    add(query, to: &page)
  }

  private func add(_ query: Query, to request: inout Request) {
    // As secret header fields, parameters such as keys go to one origin alone.
    if let base = configuration.baseURL, !base.hasSameOrigin(as: request.url) { return }
    switch query {
    case .failure(let error):
      let reason = error.invalidity ?? "its query cannot be encoded"
      let path = RequestPath(raw: request.url.absoluteString)
      request.target = .path(path.refused(reason))
    case .success(let items):
      let text = request.url.query(percentEncoded: true) ?? ""
      let own = Set(text.split(separator: "&").map(PercentEncoding.name(of:)))
      let missing = items.filter { !own.contains($0.name) }.map(\.text)
      request.target = request.target.appending(query: missing.joined(separator: "&"))
    }
  }
}

extension Client.Configuration {
  /// The fields that are secrets of all requests.
  var allSecretHeaders: Set<HTTPHeaders.Name> { secretHeaders.union(redirects.secretHeaders) }
}
