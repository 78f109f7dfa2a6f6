public import FreshetEssentials

/// The pages of a list, one after the other, see ``Client/pages(_:next:limit:)``.
///
/// - Cold: each iteration begins with the first page.
/// - It delivers progress and one response for each page, in order. A page is requested when the
///   previous one has been consumed and the next element is awaited.
/// - It ends after the page without a next one, and after an error response, which it delivers so
///   that `reject(as:)` can handle it.
/// - A next page that was requested before, with the same method, URL, fields and body, fails with
///   ``FreshetError/invalidResponse(_:url:)``. Bodies from files and streams are not compared.
/// - It bypasses the stores as ``Client/send(_:limit:)`` does, unless its options use them, see
///   ``Client/pages(_:next:options:)``.
/// - Ending or cancelling the iteration cancels the transfer.
public struct PageSequence: AsyncSequence, Sendable {
  let request: Request
  let transport: any Transport
  let strategy: PageStrategy
  let limit: Int
  /// A function that returns the responses to the request for a page.
  let responses: @Sendable (Request) -> ResponseSequence
  /// A function that completes the request for a further page.
  let complete: @Sendable (Request) -> Request
  /// The lifecycle of the client that reads the pages.
  let lifecycle: ClientLifecycle

  /// Makes an iterator; nothing is sent yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(pages: Pages(self))
  }

  /// Pulls the events of all pages.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let pages: Pages

    /// Waits for the next event; `nil` after the last page.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(FreshetError) -> Event<Response<Data>>? {
      try await pages.next()
    }
  }

  /// The pages of one iteration.
  fileprivate final class Pages {
    private let sequence: PageSequence
    private var state: State
    /// The page that is being read; it is not in the state, because a change would copy its body.
    private var responses: ResponseSequence.Iterator?
    private var visited: Set<Visit> = []
    /// The work that a shutdown of the client waits for, also between two pages.
    private var work: ClientLifecycle.Work?

    private enum State {
      case next(Request)
      case running(Request)
      case arrived(Request, Response<Data>)
      case over
    }

    init(_ sequence: PageSequence) {
      self.sequence = sequence
      state = .next(sequence.strategy.prepare(sequence.request).scoped)
    }

    func next() async throws(FreshetError) -> Event<Response<Data>>? {
      do {
        while true {
          switch state {
          case .over:
            work = nil
            return nil
          case .next(let request): try begin(request)
          case .arrived(let request, let page):
            state = try await sequence.next(after: page, of: request).map(State.next) ?? .over
          case .running(let request):
            let event = try await responses?.next()
            if let event { return passed(event, of: request) }
            state = .over
          }
        }
      } catch {
        state = .over
        responses = nil
        work = nil
        throw error
      }
    }
  }
}

@available(*, unavailable)
extension PageSequence.Iterator: Sendable {}

extension PageSequence.Pages {
  private func begin(_ request: Request) throws(FreshetError) {
    if let visit = Visit(request), !visited.insert(visit).inserted {
      throw .invalidResponse(
        "its next page was read already",
        url: Redaction.shown(request.url)
      )
    }
    if work == nil { work = sequence.lifecycle.begin() }
    responses = sequence.responses(request).makeAsyncIterator()
    state = .running(request)
  }

  private func passed(
    _ event: Event<Response<Data>>,
    of request: Request
  ) -> Event<Response<Data>> {
    guard case .value(var page) = event else { return event }
    page.record.isPage = true
    // The current version of the page comes behind a stale one.
    guard page.resource?.isFinal ?? true else { return .value(page) }
    state = page.status.isSuccess ? .arrived(request, page) : .over
    responses = nil
    return .value(page)
  }
}

extension PageSequence.Pages {
  /// The properties by which a request is recognised as an earlier one.
  private struct Visit: Hashable {
    let method: HTTPMethod
    let place: Substring
    let headers: HTTPHeaders
    /// The digest of the body, so that a long list does not keep the bodies of all its requests.
    let body: SHA256Checksum?

    /// Makes a visit; `nil` if the body cannot be compared.
    init?(_ request: Request) {
      switch request.body?.source {
      case nil: body = nil
      case .bytes(let data)?: body = SHA256Hasher.digest(of: data)
      case .file?, .stream?: return nil
      }
      method = request.method
      place = request.url.absoluteString.prefix { $0 != "#" }
      headers = request.headers
    }
  }
}

extension PageSequence {
  /// Determines the next page off the caller's actor, because it may have to read the body.
  @concurrent
  fileprivate func next(
    after page: Response<Data>,
    of request: Request
  ) async throws(FreshetError) -> Request? {
    guard var next = try strategy.next(request, page) else { return nil }
    next = complete(next)
    if !next.url.hasSameOrigin(as: request.url) {
      next.headers = request.redirects.withoutSecrets(next.headers, of: request.headers)
    }
    next.scope = request.scope
    return next
  }
}

extension Client {
  /// Reads a list page by page, bypassing all stores as ``send(_:limit:)`` does.
  ///
  /// ```swift
  /// let pages = client.pages(.get("users"), next: .link).reject(as: APIError.self).decode([User].self)
  /// for try await page in pages.values { show(page.value) }
  /// ```
  ///
  /// - Parameters:
  ///   - first: The request for the first page.
  ///   - next: The strategy that finds the following ones.
  ///   - limit: The largest body of a page that is collected, in bytes; 64 MiB by default. A larger
  ///     one fails with ``FreshetError/limitExceeded(_:url:)``.
  /// - Returns: A cold sequence of events with one response for each page.
  public func pages(
    _ first: Request,
    next: PageStrategy,
    limit: Int = 64 << 20
  ) -> PageSequence {
    pages(first, next: next, CallOptions { $0.bodyLimit = limit })
  }

  /// Reads a list page by page, each with the same options, such as the use of the stores.
  ///
  /// ```swift
  /// let pages = client.pages(.get("countries"), next: .link) { $0.useStores() }
  /// ```
  ///
  /// Pages that were stored at different times need not fit together: an item may be on two of them, or on none.
  /// Validate each page where that matters, with ``ExpiryPolicy/always``. With a policy that shows stale copies, a
  /// page may have two responses, of which the last leads to the next page.
  ///
  /// - Parameters:
  ///   - first: The request for the first page.
  ///   - next: The strategy that finds the following ones.
  ///   - options: A closure that changes the options, which begin with those of the request as for
  ///     ``send(_:options:)``.
  /// - Returns: A cold sequence of events with the guarantees of ``pages(_:next:limit:)``.
  public func pages(
    _ first: Request,
    next: PageStrategy,
    options: (inout CallOptions) -> Void
  ) -> PageSequence {
    let chosen = CallOptions(of: first, options)
    return pages(first.with(chosen), next: next, chosen)
  }

  /// Reads the pages of a request to which its options were applied.
  func pages(_ first: Request, next: PageStrategy, _ options: CallOptions) -> PageSequence {
    let request = prepared(first)
    return PageSequence(
      request: request,
      transport: transport(for: options),
      strategy: next,
      limit: options.bodyLimit,
      responses: { responses(toPrepared: $0, options) },
      complete: { further(page: $0, after: request.url) },
      lifecycle: settings.lifecycle
    )
  }

  /// Completes the request for a further page: it has the fields of the one before already, and an absolute URL
  /// that a page names need not have the client's parameters.
  private func further(page: Request, after first: URL) -> Request {
    if page.url.scheme == nil { return prepared(page) }
    var page = page
    settings.defaults.completeRedirectsAndLimits(of: &page)
    settings.defaults.completeQuery(of: &page, after: first)
    return page
  }
}

// MARK: - Description

extension PageSequence: PipelineDescribable, CustomStringConvertible {
  /// The request for the first page, and the strategy.
  package var words: PipelineDescription {
    let over = "over: \(PipelineText.transport(transport))"
    let limit = PipelineText.unless(64 << 20, limit, "limit")
    return PipelineDescription(
      "\(request)",
      ".pages" + PipelineText.parameters("next: \(strategy.wording)", over, limit)
    )
  }
}
