import Foundation
import Freshet
import FreshetFoundation
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct RequestURLRequestTests {
  @Test func `survives a conversion to Foundation and back`() throws {
    var request = try Request(.put, "https://a.org/a%20b?c=%41")
    request.headers = ["A": "1, 2", "Content-Type": "text/x", "X": "y"]
    request.body = .bytes(Data("abc".utf8))
    request.timeouts.idle = .seconds(7)

    let back = try Request(URLRequest(request))

    #expect(back.method == .put)
    #expect(back.url == request.url)
    #expect(back.headers == request.headers)
    #expect(back.timeouts.idle == .seconds(7))
    #expect(back.body?.length == 3)
  }

  @Test func `joins repeated fields and sends the body's media type`() throws {
    var request = try Request(.post, "https://a.org/")
    request.headers.add("1", for: "A")
    request.headers.add("2", for: "A")
    request.headers.add("a=1", for: "Cookie")
    request.headers.add("b=2", for: "Cookie")
    request.body = .text("hello")

    let converted = try URLRequest(request)

    #expect(converted.value(forHTTPHeaderField: "A") == "1,2")
    #expect(converted.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
    #expect(converted.value(forHTTPHeaderField: "Content-Type") == "text/plain; charset=utf-8")
    #expect(converted.httpBody == Data("hello".utf8))
  }

  @Test func `limits unlimited timeouts to Foundation's maximum`() throws {
    var request = try Request("https://a.org/")
    request.timeouts.idle = nil

    let back = try Request(URLRequest(request))

    #expect(back.timeouts.idle == nil)
  }

  @Test(arguments: [nil, .seconds(Int64.max)] as [Duration?])
  func `the longest timeouts fit into an integer of milliseconds`(idle: Duration?) throws {
    var request = try Request("https://a.org/")
    request.timeouts.idle = idle

    let milliseconds = try URLRequest(request).timeoutInterval * 1_000

    // A dispatch source counts them in nanoseconds.
    #expect(milliseconds * 1_000_000 < Double(Int64.max))
  }

  @Test func `leaves the length to the body`() throws {
    var foreign = URLRequest(url: try #require(URL(string: "https://a.org/")))
    foreign.httpMethod = "POST"
    foreign.httpBody = Data("abc".utf8)
    foreign.setValue("17", forHTTPHeaderField: "Content-Length")

    #expect(try !Request(foreign).headers.contains(.contentLength))
  }

  @Test func `refuses bodies that are files or streams`() throws {
    let url = try #require(URL(string: "https://a.org/"))
    var foreign = URLRequest(url: url)
    foreign.httpBodyStream = InputStream(data: Data("abc".utf8))

    #expect(throws: FreshetError.self) { try Request(foreign) }
    #expect(throws: FreshetError.self) {
      try URLRequest(Request(.put, url, body: .file(URL(filePath: "/tmp/x"))))
    }
  }

  @Test(arguments: ["file:///etc/passwd", "https://user:pw@a.org/"])
  func `refuses dangerous requests`(text: String) throws {
    let foreign = URLRequest(url: try #require(URL(string: text)))

    #expect(throws: FreshetError.self) { try Request(foreign) }
  }
}
