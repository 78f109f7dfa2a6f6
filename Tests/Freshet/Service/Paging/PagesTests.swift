import Foundation
import Freshet
import FreshetTesting
import Synchronization
import Testing

@Suite struct PagesTests {
  private func page(_ text: String, link: String? = nil) -> ServiceScript.Reply {
    .json(text, headers: link.map { ["Link": $0] } ?? [:])
  }

  private func texts(_ pages: PageSequence) async throws -> [String] {
    try await pages.values.collected().map { String(decoding: $0.value, as: UTF8.self) }
  }

  @Test func `Link fields are followed relative to the page's URL until there is none`()
    async throws
  {
    let script = ServiceScript(
      page("[1]", link: #"<?page=0>; rel="prev", <?page=2>; rel="next""#),
      page("[2]", link: "</v1/users?page=3>; rel=next"),
      page("[3]", link: #"<?page=1>; rel="first""#)
    )

    let pages = Client(script).pages(.get("users?page=1"), next: .link)

    #expect(try await texts(pages) == ["[1]", "[2]", "[3]"])
    #expect(script.urls == [1, 2, 3].map { "https://api.test/v1/users?page=\($0)" })
  }

  @Test(arguments: [
    #"<?n=2>;rel="prev NEXT last""#,
    #"<?n=1>; title="a, b; rel=next", <?n=2> ; REL=next"#,
    #"<?n=1>; title="never closed; rel=prev, <?n=2>; rel=next"#,
    #", <?n=1>; rel=prev;, <?n=2>; title="say \", <x>; rel=no"; rel="next""#,
    #"<?n=1>; rel=next; anchor="/other", <?n=2>; rel=next"#,
    #"<?n=1>; rel=prev; rel=next, <?n=2>; rel=next"#,
    "<?n=2>; rel=\"prev\tnext\"", "<?n=2>; rel=\"\t \tNext\"",
    "< ?n=2 >; rel=next", "<\thttps://api.test/v1/u?n=2 >; rel=next",
  ])
  func `Link fields are read as RFC 8288 says`(link: String) async throws {
    let script = ServiceScript(page("[1]", link: link), page("[2]"))

    _ = try await texts(Client(script).pages(.get("u?n=1"), next: .link))

    #expect(script.urls == ["https://api.test/v1/u?n=1", "https://api.test/v1/u?n=2"])
  }

  @Test(arguments: [
    "", "nonsense", "<?n=2", "<?n=2>", "<?n=2>; rel=previous", "<?n=2>; next",
    "<>; rel=next", "< >; rel=next", "<\t>; rel=next", "<mailto:a@b>; rel=next",
    "<ftp://api.test/2>; rel=next", "<javascript:go()>; rel=next", "<urn:x>; rel=next",
    "<data:,x>; rel=next", "<file:///etc/passwd>; rel=next", "<HTTPX://api.test/2>; rel=next",
  ])
  func `Link fields without a next page end it`(link: String) async throws {
    let script = ServiceScript(page("[1]", link: link))

    #expect(try await texts(Client(script).pages(.get("u"), next: .link)) == ["[1]"])
  }

  @Test func `cursors are strings or numbers, encoded, and end when they are missing`() async throws
  {
    let script = ServiceScript(
      page(#"{"meta":{"next":"a&b=+"}}"#),
      page(#"{"meta":{"next":42}}"#),
      page(#"{"meta":{"next":null}}"#)
    )
    let pages = Client(script)
      .pages(
        .get("users?limit=5&cursor=x#f"),
        next: .cursor(at: "meta.next", query: "cursor")
      )

    #expect(try await texts(pages).count == 3)

    #expect(
      script.urls == [
        "https://api.test/v1/users?limit=5&cursor=x#f",
        "https://api.test/v1/users?limit=5&cursor=a%26b%3D%2B#f",
        "https://api.test/v1/users?limit=5&cursor=42#f",
      ]
    )
  }

  @Test(arguments: ["1.50", "18446744073709551615", "1e3", "-7", "0"])
  func `sends a cursor that is a number unchanged`(number: String) async throws {
    let script = ServiceScript(page(#"{"next": \#(number) }"#), page("{}"))

    _ = try await texts(Client(script).pages(.get("u"), next: .cursor(at: "next", query: "c")))

    #expect(script.urls.last == "https://api.test/v1/u?c=\(number)")
  }

  @Test func `there is no page after the largest number`() async throws {
    for strategy in [PageStrategy.number(), .offset(limit: 1, query: ("page", "limit"))] {
      let script = ServiceScript(page("[1]"))

      let pages = Client(script).pages(.get("u?page=\(Int.max)"), next: strategy)

      #expect(try await texts(pages) == ["[1]"])
    }
  }

  @Test func `a strategy can name the next page by its path`() async throws {
    let script = ServiceScript(page("[1]"), page("[]"))
    let strategy = PageStrategy { _, page in
      page.value.count > 2 ? .get("users?page=2") : nil
    }
    let client = Client {
      $0.transport = script
      $0.baseURL = URL(string: "https://api.test/v1")
      $0.headers = ["X-App": "1"]
    }

    _ = try await texts(client.pages(.get("users"), next: strategy))

    #expect(script.urls.last == "https://api.test/v1/users?page=2")
    #expect(script.requests.last?.headers["X-App"] == "1")
  }

  @Test(arguments: [#"{"meta":{}}"#, #"{"meta":{"next":""}}"#, "{}"])
  func `an empty or missing cursor is the end`(text: String) async throws {
    let script = ServiceScript(page(text))
    let pages = Client(script).pages(.get("u"), next: .cursor(at: "meta.next", query: "c"))

    #expect(try await texts(pages) == [text])
  }

  @Test func `a body that has no place for a cursor is an error after its page`() async throws {
    let script = ServiceScript(page("<html>"))
    var pages = Client(script).pages(.get("u"), next: .cursor(at: "next", query: "c")).values
      .makeAsyncIterator()
    #expect(try await pages.next(isolation: nil) != nil)

    let error = await #expect(throws: FreshetError.self) { try await pages.next(isolation: nil) }
    #expect(error?.kind == "decoding")
    #expect(try await pages.next(isolation: nil) == nil)
  }

  @Test func `URLs in the body are followed`() async throws {
    let script = ServiceScript(page(#"{"next":"/v1/u?p=2"}"#), page(#"{"next":null}"#))

    #expect(try await texts(Client(script).pages(.get("u"), next: .url(at: "next"))).count == 2)
    #expect(script.urls.last == "https://api.test/v1/u?p=2")
  }

  @Test(arguments: [
    (PageStrategy.link, "{}"), (.url(at: "next"), #"{"next":"/v1/u?filter[title]=a%20b"}"#),
  ])
  func `the URL of a page has its characters encoded, and no encoded one again`(
    strategy: PageStrategy,
    body: String
  ) async throws {
    let link = "</v1/u?filter[title]=a%20b>; rel=next"
    let script = ServiceScript(page(body, link: link), page("{}"))

    #expect(try await texts(Client(script).pages(.get("u"), next: strategy)) == [body, "{}"])
    #expect(script.urls.last == "https://api.test/v1/u?filter%5Btitle%5D=a%20b")
  }

  @Test func `a URL whose host has a NUL is not another one`() async throws {
    let script = ServiceScript(page(#"{"next":"https://good.test\u0000é.test/"}"#), page("{}"))

    await #expect(throws: FreshetError.self) {
      try await texts(Client(script).pages(.get("u"), next: .url(at: "next")))
    }
    #expect(script.urls.count == 1)
  }

  @Test func `offsets continue until a page is short`() async throws {
    let script = ServiceScript(
      page(#"{"d":[1,2]}"#),
      page(#"{"d":[3,4]}"#),
      page(#"{"d":[5]}"#)
    )
    let pages = Client(script).pages(.get("u?x=1"), next: .offset(limit: 2, items: "d"))

    #expect(try await texts(pages).count == 3)
    let first = "https://api.test/v1/u?x=1&offset=0&limit=2"
    let others = [2, 4].map { "https://api.test/v1/u?x=1&limit=2&offset=\($0)" }
    #expect(script.urls == [first] + others)
  }

  @Test func `numbers continue until a page is empty`() async throws {
    let script = ServiceScript(page("[1]"), page("[2]"), page("[]"))
    let pages = Client(script).pages(.get("u"), next: .number())

    #expect(try await texts(pages) == ["[1]", "[2]", "[]"])
    #expect(script.urls == [1, 2, 3].map { "https://api.test/v1/u?page=\($0)" })
  }

  @Test func `a custom strategy sends no secrets of one origin to another`() async throws {
    let script = ServiceScript(page("[1]"), page("[2]"))
    let client = Client {
      $0 = Client(script).configuration
      $0.headers = [.authorization: "Bearer x", "X-Own": "1"]
    }
    let other = try Request("https://other.test/u").url
    let strategy = PageStrategy { request, _ in
      guard request.url != other else { return nil }
      var next = request
      next.url = other
      next.headers["X-API-Key"] = "other"
      return next
    }

    _ = try await texts(client.pages(.get("u"), next: strategy))

    #expect(script.requests.map { $0.headers[.authorization] } == ["Bearer x", nil])
    #expect(script.requests.map { $0.headers["X-Own"] } == ["1", "1"])
    #expect(script.requests.last?.headers["X-API-Key"] == "other")
  }

  @Test(arguments: [PageStrategy.number(), .offset(limit: 2)])
  func `a refused path stays refused with the items of a page`(strategy: PageStrategy) async throws
  {
    let script = ServiceScript(page("[]"))
    let id = ".."

    let pages = Client(script).pages(.get("users/\(id)/posts"), next: strategy)

    let error = await #expect(throws: FreshetError.self) { try await pages.values.collected() }
    guard case .invalidRequest = error else { throw try #require(error) }
    #expect(script.urls.isEmpty)
  }

  @Test func `a custom strategy decides from request and response`() async throws {
    let script = ServiceScript(page("1"), page("2"), page("3"))
    let strategy = PageStrategy { request, page in
      guard page.value != Data("2".utf8) else { return nil }
      var next = request
      next.headers["X-Page"] = "2"
      next.url.append(queryItems: [.init(name: "p", value: "2")])
      return next
    }

    #expect(try await texts(Client(script).pages(.get("u"), next: strategy)) == ["1", "2"])
    #expect(script.requests.last?.headers["X-Page"] == "2")
  }

  @Test func `a strategy may put the cursor into a field or into the body`() async throws {
    for inBody in [true, false] {
      let script = ServiceScript(page("1"), page("2"), page("3"))
      let strategy = PageStrategy { request, page in
        guard page.value != Data("3".utf8) else { return nil }
        var next = request
        if inBody {
          next.body = .bytes(page.value)
        } else {
          next.headers["X-Cursor"] = String(decoding: page.value, as: UTF8.self)
        }
        return next
      }

      #expect(try await texts(Client(script).pages(.get("u"), next: strategy)) == ["1", "2", "3"])
    }
  }

  @Test func `stops a strategy that repeats a request`() async throws {
    let script = ServiceScript(page("1"))
    let pages = Client(script).pages(.get("u"), next: PageStrategy { request, _ in request })

    let error = await #expect(throws: FreshetError.self) { try await texts(pages) }

    #expect(error?.kind == "invalidResponse")
    #expect(script.requests.count == 1)
  }

  @Test func `a page without a body is the last`() async throws {
    let strategies: [PageStrategy] = [
      .number(), .offset(limit: 1), .cursor(at: "next", query: "c"), .url(at: "next"), .link,
      .number(items: "data"),
    ]
    for strategy in strategies {
      let script = ServiceScript(.init(status: 204))
      #expect(try await texts(Client(script).pages(.get("u"), next: strategy)) == [""])
    }
  }

  @Test func `a page's promise and stream agree in value and failure`() async throws {
    for last in [page("[2]"), page("x"), .json("{}", status: 500)] {
      let script = ServiceScript(
        page("[1]", link: "<?p=2>; rel=next"),
        last,
        page("[1]", link: "<?p=2>; rel=next"),
        last
      )
      let pages = Client(script).pages(.get("u"), next: .link).reject(as: APIError.self)
        .decode([Int].self)

      var streamed: Result<[Int]?, CallError<APIError>> = .success(nil)
      do throws(CallError<APIError>) {
        var iterator = pages.values.makeAsyncIterator()
        while let page = try await iterator.next(isolation: #isolation) {
          streamed = .success(page.value)
        }
      } catch {
        streamed = .failure(error)
      }
      var awaited: Result<[Int]?, CallError<APIError>>
      do throws(CallError<APIError>) {
        awaited = .success(try await pages.value.value)
      } catch {
        awaited = .failure(error)
      }

      #expect("\(streamed)" == "\(awaited)")
    }
  }

  @Test func `pulls pages on demand`() async throws {
    let script = ServiceScript(page("[1]", link: "<?p=2>; rel=next"), page("[2]"))
    var pages = Client(script).pages(.get("u"), next: .link).values.makeAsyncIterator()
    #expect(script.requests.isEmpty)

    _ = try await pages.next(isolation: nil)
    #expect(script.requests.count == 1)
    _ = try await pages.next(isolation: nil)
    #expect(script.requests.count == 2)
  }

  @Test func `a repeated page is an error after the pages before`() async throws {
    let script = ServiceScript(
      page("[1]", link: "<?p=2>; rel=next"),
      page("[2]", link: "<?p=1#x>; rel=next")
    )
    var seen = 0

    let error = await #expect(throws: FreshetError.self) {
      for try await _ in Client(script).pages(.get("u?p=1"), next: .link).values { seen += 1 }
    }

    #expect(error?.kind == "invalidResponse")
    #expect(seen == 2)
    #expect(script.requests.count == 2)
  }

  @Test func `an error page is delivered and ends the pages`() async throws {
    let script = ServiceScript(
      page("[1]", link: "<?p=2>; rel=next"),
      .json(#"{"message":"no"}"#, status: 500, headers: ["Link": "<?p=3>; rel=next"])
    )
    #expect(try await texts(Client(script).pages(.get("u"), next: .link)).count == 2)
    let again = ServiceScript(
      page("[1]", link: "<?p=2>; rel=next"),
      .json(#"{"message":"no"}"#, status: 500)
    )
    let pages = Client(again).pages(.get("u"), next: .link).reject(as: APIError.self)
      .decode([Int].self)
    var seen: [[Int]] = []

    let error = await #expect(throws: CallError<APIError>.self) {
      for try await page in pages.values { seen.append(page.value) }
    }

    #expect(seen == [[1]])
    #expect(error?.model?.message == "no")
  }

  @Test func `sends no credentials to another origin`() async throws {
    let script = ServiceScript(
      page("[1]", link: "<https://other.test/u>; rel=next"),
      page("[2]", link: "<?p=3>; rel=next"),
      page("[3]")
    )
    let request = Request.get("u", headers: [.authorization: "Bearer x", "X-Own": "1"])

    _ = try await texts(Client(script).pages(request, next: .link))

    #expect(script.urls.last == "https://other.test/u?p=3")
    #expect(script.requests.map { $0.headers[.authorization] } == ["Bearer x", nil, nil])
    #expect(script.requests.map { $0.headers["X-Own"] } == ["1", "1", "1"])
  }

  @Test(arguments: [true, false])
  func `a further page gets the client's parameters that its URL lacks, and no other origin does`(
    hasBase: Bool
  ) async throws {
    let links = [
      "https://api.test/v1/u?p=2", "?key=own&p=3", "https://other.test/u",
      "https://other.test/u?p=5", "https://api.test/v1/u?p=6",
    ]
    let pages = links.map { page("[1]", link: "<\($0)>; rel=next") } + [page("[1]")]
    let script = ServiceScript(pages)
    let client = Client {
      $0 = Client(script).configuration
      $0.query = ["key": "secret", "v": 2]
      if !hasBase { $0.baseURL = nil }
    }
    let first = try hasBase ? Request.get("u") : Request("https://api.test/v1/u")

    _ = try await texts(client.pages(first, next: .link))

    #expect(
      script.urls == [
        "https://api.test/v1/u?key=secret&v=2", "https://api.test/v1/u?p=2&key=secret&v=2",
        "https://api.test/v1/u?key=own&p=3&v=2", "https://other.test/u", "https://other.test/u?p=5",
        "https://api.test/v1/u?p=6&key=secret&v=2",
      ]
    )
  }

  @Test func `sends none of the client's secrets to another origin`() async throws {
    let script = ServiceScript(page("[1]", link: "<https://other.test/u>; rel=next"), page("[2]"))
    let client = Client {
      $0 = Client(script).configuration
      $0.secretHeaders = ["X-Own"]
      $0.headers = ["X-Own": "1"]
    }
    let request = Request.get("u")
    let elsewhere = try Request(.get, "https://other.test/u")

    _ = try await texts(client.pages(request, next: .link))

    #expect(script.requests.map { $0.headers["X-Own"] } == ["1", nil])
    _ = try await client.send(elsewhere).value
    #expect(script.requests.last?.headers["X-Own"] == nil)
    #expect(!String(reflecting: Mirror(reflecting: script.requests[0]).children).contains("\"1\""))
    #expect(!script.requests[0].curlCommand().contains("X-Own: 1"))
  }

  @Test(arguments: [
    "http://api.test/u", "https://", "https://ex%61mple.org/", "//127.1/", "//u@api.test/",
  ])
  func `a next page leads neither to http nor to a refused host`(target: String) async {
    let script = ServiceScript(page("[1]", link: "<\(target)>; rel=next"), page("[2]"))

    let error = await #expect(throws: FreshetError.self) {
      try await texts(Client(script).pages(.get("u"), next: .link))
    }

    #expect(error?.kind == "invalidResponse")
    #expect(script.requests.count == 1)
  }

  /// Answers two pages that may be stored for a minute, with the number of the request in each.
  private func stored(_ clock: VirtualClock) -> ScriptedTransport {
    let count = Atomic(0)
    return ScriptedTransport { request in
      let number = count.wrappingAdd(1, ordering: .relaxed).newValue
      var headers: HTTPHeaders = [
        .contentType: "application/json", .cacheControl: "max-age=60",
        .date: HTTPDate.format(clock.date),
      ]
      if request.url.query() == nil { headers["Link"] = "<?page=2>; rel=next" }
      return ScriptedResponse(headers: headers, body: Data("[\(number)]".utf8))
    }
  }

  private func client(_ transport: some Transport, _ clock: VirtualClock) -> Client {
    Client {
      $0.transport = transport
      $0.baseURL = URL(string: "https://api.test/v1/")
      $0.now = { clock.date }
    }
  }

  @Test func `pages bypass the stores by default, and use them where their options say so`()
    async throws
  {
    let clock = VirtualClock()
    let transport = stored(clock)
    let client = client(transport, clock)
    let kept = client.pages(.get("users"), next: .link) { $0.useStores() }

    #expect(try await texts(client.pages(.get("users"), next: .link)) == ["[1]", "[2]"])
    #expect(try await texts(kept) == ["[3]", "[4]"])
    #expect(try await texts(kept) == ["[3]", "[4]"])
    #expect(transport.counts.started == 4)
  }

  @Test func `a stale page comes before its current version, which leads to the next page`()
    async throws
  {
    let clock = VirtualClock()
    let client = client(stored(clock), clock)
    let kept = client.pages(.get("users"), next: .link) {
      $0.useStores { $0.stale = .beforeValidation }
    }
    _ = try await texts(kept)
    clock.advance(by: .seconds(80))

    let pages = try await kept.values.collected()

    let texts = pages.map { String(decoding: $0.value, as: UTF8.self) }
    #expect(texts == ["[1]", "[3]", "[2]", "[4]"])
    #expect(pages.map(\.resource?.isFinal) == [false, true, false, true])
  }

  @Test func `the pages of an endpoint use the stores as its calls do`() async throws {
    struct ListNumbers: Endpoint {
      typealias Output = [Int]
      var path: RequestPath { "numbers" }
      var options: CallOptions { CallOptions { $0.useStores() } }
    }
    let clock = VirtualClock()
    let transport = stored(clock)
    let pages = client(transport, clock).pages(ListNumbers(), next: .link)

    for _ in 0..<2 { #expect(try await pages.values.collected().map(\.value) == [[1], [2]]) }
    #expect(transport.counts.started == 2)
  }

  @Test func `an endpoint has pages too`() async throws {
    struct ListUsers: Endpoint {
      typealias Output = [User]
      var path: RequestPath { "users" }
      var payload: PayloadPath { "data" }
    }
    let script = ServiceScript(
      page(#"{"data":[{"id":1,"name":"A"}],"next":"x"}"#),
      page(#"{"data":[]}"#)
    )
    let pages = Client(script).pages(ListUsers(), next: .cursor(at: "next", query: "c"))

    #expect(try await pages.values.collected().map(\.value) == [[User(id: 1, name: "A")], []])
  }
}
