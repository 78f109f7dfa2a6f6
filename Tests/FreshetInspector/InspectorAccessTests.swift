import Foundation
import Freshet
import FreshetTesting
import Testing

@testable import FreshetInspector

@Suite struct InspectorAccessTests {
  private let world = InspectorWorld { _ in .cached("x") }
  private static let host = InspectorWorld.host
  private static let own: HTTPHeaders = [.host: host]

  /// Every path that is answered.
  private static let paths = [
    "", "page.css", "page.js", "api/state", "api/clients", "api/stores", "api/events",
    "export/calls.har", "export/explanations.txt",
  ]

  @Test(arguments: paths)
  func `answers its own page, with the fields that protect it`(path: String) async {
    let response = await world.get(path)

    #expect(response.status == 200)
    let policy = response.headers["Content-Security-Policy"] ?? ""
    for part in [
      "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'",
      "base-uri 'none'", "require-trusted-types-for 'script'",
    ] { #expect(policy.contains(part)) }
    #expect(!policy.contains("unsafe"))
    #expect(response.headers["X-Content-Type-Options"] == "nosniff")
    #expect(response.headers["X-Frame-Options"] == "DENY")
    #expect(response.headers["Referrer-Policy"] == "no-referrer")
    #expect(response.headers["Cross-Origin-Resource-Policy"] == "same-origin")
    #expect(response.headers["Cross-Origin-Opener-Policy"] == "same-origin")
    #expect(response.headers["Cache-Control"] == "no-store")
    #expect(!response.headers.contains("Access-Control-Allow-Origin"))
  }

  @Test(arguments: paths)
  func `answers a URL that was typed`(path: String) async {
    #expect(await world.get(path, ["Host": Self.host, "Sec-Fetch-Site": "none"]).status == 200)
    #expect(await world.get(path, ["Host": Self.host]).status == 200)
  }

  @Test(
    arguments: paths,
    ["attacker.test", "inspector.test:81", "inspector.test.attacker.test", "127.0.0.1", ""]
  )
  func `refuses another name in Host`(path: String, host: String) async {
    let response = await world.get(path, ["Host": host])

    #expect(response.status == 421)
    #expect(response.text == "421\n")
  }

  @Test func `compares names in Host without regard to case`() async {
    let inspector = Inspector { $0.hosts = ["Server.Test:8080"] }
    let request = InspectorRequest(
      target: inspector.path,
      headers: [.host: "server.TEST:8080"]
    )

    #expect(await inspector.response(to: request).status == 200)
  }

  @Test func `refuses a request without Host, and one with two`() async {
    #expect(await world.get("api/state", [:]).status == 421)
    let two = HTTPHeaders([
      .init(name: .host, value: Self.host), .init(name: .host, value: "attacker.test"),
    ])
    #expect(await world.get("api/state", two).status == 421)
  }

  @Test(
    arguments: paths,
    [
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
      ["Origin": "http://attacker.test"], ["Origin": "null"],
      ["Origin": "http://inspector.test.attacker.test"], ["Origin": "http://inspector.test:81"],
    ] as [HTTPHeaders]
  )
  func `refuses requests from pages of another origin`(path: String, fields: HTTPHeaders) async {
    let response = await world.get(path, Self.own.merging(fields))

    #expect(response.status == 403)
    #expect(response.text == "403\n")
  }

  @Test(arguments: paths)
  func `refuses a wrong token`(path: String) async {
    let token = world.inspector.token
    let wrong = [
      "", String(token.dropLast()), token + "A", String(token.reversed()), token.uppercased(),
      "%2e/" + token, String(repeating: "A", count: token.count),
    ]
    for token in wrong {
      let target = "/\(token)/\(path)"
      let response = await world.inspector.response(
        to: InspectorRequest(target: target, headers: InspectorWorld.fields)
      )
      #expect(response.status == 404, "\(target)")
      #expect(response.text == "404\n")
    }
  }

  @Test func `two inspectors have different tokens of 258 bits`() {
    let tokens = (0..<50).map { _ in Inspector().token }

    #expect(Set(tokens).count == 50)
    #expect(tokens.allSatisfy { $0.utf8.count == 43 })
  }

  @Test(
    arguments: [
      ["Host": host, "X-Freshet-Inspector": "1"],
      ["Host": host, "Origin": "http://\(host)"],
      ["Host": host, "Origin": "http://attacker.test", "X-Freshet-Inspector": "1"],
      [
        "Host": host, "Origin": "http://\(host)", "X-Freshet-Inspector": "1",
        "Sec-Fetch-Site": "cross-site",
      ],
    ] as [HTTPHeaders]
  )
  func `changes nothing for a form or a page of another origin`(fields: HTTPHeaders) async throws {
    _ = try await world.client.resource(Request(.get, "http://a.test/")).value
    let entries = try #require(try await world.json("api/stores")["entries"] as? [[String: Any]])
    let id = try #require(entries[0]["id"] as? Int)

    #expect(await world.post("api/stores/\(id)/remove", fields).status == 403)
    #expect(await world.post("api/calls/1/again", fields).status == 403)
    #expect(world.memory.count == 1)
  }

  @Test func `changes nothing for a GET`() async throws {
    _ = try await world.client.resource(Request(.get, "http://a.test/")).value
    _ = try await world.json("api/stores")

    #expect(await world.get("api/stores/1/remove").status == 404)
    #expect(await world.get("api/calls/1/again").status == 404)
    #expect(world.memory.count == 1)
  }

  @Test(arguments: ["PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"])
  func `refuses other methods`(method: String) async {
    let response = await world.inspector.response(
      to: InspectorRequest(
        method: HTTPMethod(method),
        target: world.inspector.path,
        headers: InspectorWorld.fields
      )
    )
    #expect(response.status == 405)
    #expect(response.headers["Allow"] == "GET, POST")
    #expect(response.text == (method == "HEAD" ? "" : "405\n"))
  }

  @Test(arguments: [
    "nothing", "api", "api/calls/0", "api/calls/-1", "api/calls/x", "api/calls/99",
    "api/stores/1/plan", "../page.css", "api/calls/1/picture", "page.css/../page.js",
  ])
  func `has nothing at other paths`(path: String) async {
    #expect(await world.get(path).status == 404)
  }

  @Test func `the page uses relative URLs of its own only, and no markup from a script`() {
    for text in [Page.markup, Page.style, Page.script] {
      #expect(!text.contains("https:") && !text.contains("//cdn") && !text.contains("@import"))
    }
    for word in [
      "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
    ] {
      #expect(!Page.script.contains(word))
    }
    #expect(!Page.markup.contains("style=") && !Page.markup.contains("onclick"))
  }
}
