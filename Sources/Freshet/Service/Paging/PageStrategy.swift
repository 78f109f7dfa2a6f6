public import FreshetEssentials

/// The strategy that finds the next page, from a page or from its request.
///
/// ```swift
/// client.pages(.get("users"), next: .link)
/// client.pages(.get("users?limit=50"), next: .cursor(at: "meta.next", query: "cursor"))
/// client.pages(.get("users"), next: .offset(limit: 50, items: "data"))
/// ```
public struct PageStrategy: Sendable {
  let next: @Sendable (Request, Response<Data>) throws(FreshetError) -> Request?

  /// A function that prepares the first request.
  let prepare: @Sendable (Request) -> Request
  /// The strategy as source code, for descriptions.
  let wording: String

  /// Makes a strategy from a function.
  ///
  /// - Parameter next: A function of a page's request and response that makes the request for the next
  ///   page; `nil` if there is none. A relative URL is completed like that of the first request.
  public init(
    _ next: @escaping @Sendable (Request, Response<Data>) throws(FreshetError) -> Request?
  ) {
    self.init("…", next: next)
  }

  init(
    _ wording: String,
    prepare: @escaping @Sendable (Request) -> Request = { $0 },
    next: @escaping @Sendable (Request, Response<Data>) throws(FreshetError) -> Request?
  ) {
    self.wording = wording
    self.prepare = prepare
    self.next = next
  }
}

extension PageStrategy {
  /// Follows the target of the `Link` field with `rel=next`, relative to the page's URL (RFC 8288).
  ///
  /// A target that is empty, or has another scheme than `http` and `https`, ends the pages. One
  /// whose host is never contacted, see ``Request/validate()``, fails.
  public static var link: PageStrategy {
    PageStrategy(".link") { (request, page) throws(FreshetError) in
      let links = page.headers[values: "Link"].flatMap { Link.links(in: $0) }
      let next = links.first { $0.relations.contains("next") && $0.anchor == nil }
      guard let next, next.leadsToPage(from: page.head.url) else { return nil }
      return try request.moved(to: next.target, from: page)
    }
  }

  /// Follows the URL at a path in the body, relative to the page's URL.
  ///
  /// - Parameter path: The path of the URL. If it is missing, `null` or empty, the pages end.
  /// - Returns: The strategy.
  public static func url(at path: PayloadPath) -> PageStrategy {
    PageStrategy(".url(at: \"\(path)\")") { (request, page) throws(FreshetError) in
      guard let target = try page.scalar(at: path) else { return nil }
      return try request.moved(to: target, from: page)
    }
  }

  /// Sends the cursor at a path in the body as a query item of the same request.
  ///
  /// - Parameters:
  ///   - path: The path of the cursor, a string or a number. If it is missing, `null` or empty, the
  ///     pages end.
  ///   - name: The query item's name.
  /// - Returns: The strategy.
  public static func cursor(at path: PayloadPath, query name: String) -> PageStrategy {
    PageStrategy(".cursor(at: \"\(path)\", query: \"\(name)\")") {
      (request, page) throws(FreshetError) in
      guard let cursor = try page.scalar(at: path) else { return nil }
      return request.setting(name, to: cursor)
    }
  }

  /// Uses an offset and a limit: it skips the number of items that the previous pages have requested.
  ///
  /// A page with fewer items than the limit is the last.
  ///
  /// - Parameters:
  ///   - limit: The number of items of a page; at least 1.
  ///   - items: The path of the array of items in the body; the whole body by default.
  ///   - names: The query items' names; `offset` and `limit` by default.
  /// - Returns: The strategy; it also sets both query items in the first request.
  public static func offset(
    limit: Int,
    items: PayloadPath = PayloadPath(),
    query names: (offset: String, limit: String) = ("offset", "limit")
  ) -> PageStrategy {
    let limit = max(limit, 1)
    return PageStrategy(".offset(limit: \(limit))") { request in
      let offset = request.item(names.offset) ?? "0"
      return request.setting(names.offset, to: offset).setting(names.limit, to: "\(limit)")
    } next: { (request, page) throws(FreshetError) in
      guard try page.itemCount(at: items) >= limit else { return nil }
      let offset = request.item(names.offset).flatMap { Int($0) } ?? 0
      return request.setting(names.offset, to: offset, plus: limit)
    }
  }

  /// Uses page numbers; a page without items is the last.
  ///
  /// - Parameters:
  ///   - name: The query item's name; `page` by default.
  ///   - first: The first page's number, unless the request contains one; 1 by default.
  ///   - items: The path of the array of items in the body; the whole body by default.
  /// - Returns: The strategy; it also sets the query item in the first request.
  public static func number(
    query name: String = "page",
    from first: Int = 1,
    items: PayloadPath = PayloadPath()
  ) -> PageStrategy {
    PageStrategy(".number(query: \"\(name)\")") { request in
      request.setting(name, to: request.item(name) ?? "\(first)")
    } next: { (request, page) throws(FreshetError) in
      guard try page.itemCount(at: items) > 0 else { return nil }
      let number = request.item(name).flatMap { Int($0) } ?? first
      return request.setting(name, to: number, plus: 1)
    }
  }
}
