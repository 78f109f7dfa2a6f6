public import Foundation

/// Where the next page is: what a page says about it, or what follows from the request.
///
/// ```swift
/// client.pages(.get("users"), next: .link)
/// client.pages(.get("users?limit=50"), next: .cursor(at: "meta.next", query: "cursor"))
/// client.pages(.get("users"), next: .offset(limit: 50, items: "data"))
/// ```
public struct PageStrategy: Sendable {
  let next: @Sendable (Request, Response<Data>) throws(FreshetError) -> Request?

  /// What the first request gets.
  let prepare: @Sendable (Request) -> Request
  /// The strategy as it would be written, for descriptions.
  let wording: String

  /// Makes a strategy of a function.
  ///
  /// - Parameter next: Makes the request for the page after the one that a request and its response
  ///   are; `nil` if there is none. One with a relative URL is completed as the first one was.
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
  /// The target of the `Link` field with `rel=next`, relative to the page's URL (RFC 8288).
  ///
  /// A target that is empty, or has another scheme than `http` and `https`, ends the pages. One that
  /// has a host which is never asked, see ``Request/validate()``, fails.
  public static var link: PageStrategy {
    PageStrategy(".link") { (request, page) throws(FreshetError) in
      let links = page.headers[values: "Link"].flatMap { Link.links(in: $0) }
      let next = links.first { $0.relations.contains("next") && $0.anchor == nil }
      guard let next, next.leadsToPage(from: page.head.url) else { return nil }
      return try request.moved(to: next.target, from: page)
    }
  }

  /// The URL that the body has at a path, relative to the page's URL.
  ///
  /// - Parameter path: Where it stands. Missing, `null` or empty, it ends the pages.
  /// - Returns: The strategy.
  public static func url(at path: PayloadPath) -> PageStrategy {
    PageStrategy(".url(at: \"\(path)\")") { (request, page) throws(FreshetError) in
      guard let target = try page.scalar(at: path) else { return nil }
      return try request.moved(to: target, from: page)
    }
  }

  /// The cursor that the body has at a path, sent as a query item of the same request.
  ///
  /// - Parameters:
  ///   - path: Where it stands, a string or a number. Missing, `null` or empty, it ends the pages.
  ///   - name: The query item's name.
  /// - Returns: The strategy.
  public static func cursor(at path: PayloadPath, query name: String) -> PageStrategy {
    PageStrategy(".cursor(at: \"\(path)\", query: \"\(name)\")") {
      (request, page) throws(FreshetError) in
      guard let cursor = try page.scalar(at: path) else { return nil }
      return request.setting(name, to: cursor)
    }
  }

  /// Offset and limit: as many items are skipped as the pages before have asked for.
  ///
  /// A page with fewer items than the limit is the last.
  ///
  /// - Parameters:
  ///   - limit: The number of items of a page; at least 1.
  ///   - items: Where the body has its array of items; it is the whole body by default.
  ///   - names: The query items' names; `offset` and `limit` by default.
  /// - Returns: The strategy; it sets both query items, on the first request too.
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

  /// Page numbers; a page without items is the last.
  ///
  /// - Parameters:
  ///   - name: The query item's name.
  ///   - first: The first page's number, unless the request names one.
  ///   - items: Where the body has its array of items; it is the whole body by default.
  /// - Returns: The strategy; it sets the query item, on the first request too.
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
