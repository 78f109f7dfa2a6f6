import Foundation
import Testing

@testable import Freshet

@Suite struct InvalidationTests {
  static let headers: HTTPHeaders = [
    .location: "/new", .contentLocation: "https://a.org:443/other#part",
  ]

  static let effective: [(HTTPMethod, HTTPStatus)] = [
    (.post, 201), (.put, 204), (.delete, 200), (.patch, 303), (HTTPMethod("BREW"), 200),
  ]

  @Test(arguments: effective)
  func `4.4: unsafe and unknown methods invalidate the URLs that they name`(
    method: HTTPMethod,
    status: HTTPStatus
  ) {
    let keys = Invalidation.keys(
      after: Fixture.request(method),
      Fixture.head(status, Self.headers)
    )

    #expect(
      keys.map(\.text) == ["https://a.org/x", "https://a.org/new", "https://a.org/other"]
    )
  }

  @Test func `4.4: a named URL has its characters encoded, and no encoded one again`() {
    let named: HTTPHeaders = [.location: "/new?filter[title]=a%20b", .contentLocation: "/ä%2Fb"]

    let keys = Invalidation.keys(after: Fixture.request(.put), Fixture.head(201, named))

    let urls = [
      "https://a.org/x", "https://a.org/new?filter%5Btitle%5D=a%20b", "https://a.org/%C3%A4%2Fb",
    ]
    #expect(keys.map(\.text) == urls)
  }

  @Test func `4.4: the host that the request names is part of its target`() {
    let request = Fixture.request(.put, [.host: "B.org"])
    let location: HTTPHeaders = [.location: "/new"]

    let keys = Invalidation.keys(after: request, Fixture.head(201, location))

    #expect(keys.map(\.text) == ["https://a.org/x b.org", "https://a.org/new b.org"])
  }

  @Test func `4.4: of several lines of a field that has one value, the first counts`() {
    let keys = Invalidation.keys(
      after: Fixture.request(.post),
      Fixture.head(
        201,
        [.location: "/1", .location: "/2", .contentLocation: "/3", .contentLocation: "/4"]
      )
    )

    #expect(keys.map(\.text) == ["x", "1", "3"].map { "https://a.org/\($0)" })
  }

  static let harmless: [(HTTPMethod, HTTPStatus)] = [
    (.get, 200), (.head, 200), (.options, 200), (.post, 404), (.delete, 500), (.put, 412),
    (.post, 100),
  ]

  @Test(arguments: harmless)
  func `4.4: safe methods and errors invalidate nothing`(method: HTTPMethod, status: HTTPStatus) {
    let keys = Invalidation.keys(
      after: Fixture.request(method),
      Fixture.head(status, Self.headers)
    )

    #expect(keys.isEmpty)
  }

  @Test(
    arguments: ["https://b.org/x", "http://a.org/y", "https://a.org:8443/y", "//b.org/y", "%"]
  )
  func `4.4: other origins are not invalidated`(location: String) {
    let keys = Invalidation.keys(
      after: Fixture.request(.post),
      Fixture.head(201, [.location: location, .contentLocation: location])
    )

    #expect(keys.map(\.text).filter { !$0.hasPrefix("https://a.org/") } == [])
  }

  @Test func `4.4: the target of a redirect is invalidated too`() {
    let keys = Invalidation.keys(
      after: Fixture.request(.post),
      Fixture.head(200, url: "https://b.org/y"),
      partition: "ann"
    )

    #expect(keys.map(\.text) == ["ann\nhttps://a.org/x", "ann\nhttps://b.org/y"])
  }
}
