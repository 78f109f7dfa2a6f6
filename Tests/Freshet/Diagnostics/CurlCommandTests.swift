import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CurlCommandTests {
  @Test func `is one line with quoted arguments and hidden secrets`() throws {
    let request = try Request(.put, to: "https://a.test/x?a=1&token=s3cret") {
      $0.headers = [.authorization: "Bearer s3cret", "X-Name": "it's"]
      $0.body = .bytes(Data(#"{"password":"s3cret"}"#.utf8), contentType: .json)
      $0.timeouts.total = .seconds(5)
    }

    #expect(
      request.curlCommand()
        == "curl --request PUT --header 'Authorization: <redacted>' --header 'X-Name: it'\\''s'"
        + " --header 'Content-Type: application/json'"
        + " --data-raw '{\"password\":\"<redacted>\"}' --location --max-time 5.0"
        + " 'https://a.test/x?a=1&token=redacted'"
    )
    #expect(request.curlCommand(redacting: .none).contains("Bearer s3cret"))
  }

  @Test(arguments: [
    ("/a/../b", true), ("/a/./b?c", true), ("/a/..", true), ("/a/b?c=/../d", false),
    ("/a..b", false), ("/a/%2e%2E/b", true),
  ])
  func `dot segments of a path stay`(path: String, isAsIs: Bool) throws {
    let url = try #require(URL(string: "https://a.test\(path)"))

    #expect(Request(url).curlCommand().contains(" --path-as-is ") == isAsIs)
  }

  @Test(arguments: [
    RequestBody.text("line 1\nit's \"$HOME\" `id` \\ %"), .bytes(Data((0...255).map { UInt8($0) })),
    .bytes(Data()), .text("@file"), .bytes(Data("a=b".utf8)),
  ])
  func `a shell sends the request with it`(body: RequestBody) async throws {
    let server = try LoopbackServer(["/x": .echo])
    let request = try Request(.post, to: server.url("/x").absoluteString + "?q=a%20b") {
      $0.headers = ["X-Text": "a 'b' \"c\" $d", "X-Empty": ""]
      $0.body = body
    }
    let command = request.curlCommand(redacting: .none) + " --silent --max-time 10"
    let run = try await ProgramRun("/bin/sh", ["-c", command])

    #expect(run.status == 0)
    let received = try #require(server.requests.first)
    #expect(received.method == .post)
    #expect(received.headers["X-Text"] == "a 'b' \"c\" $d")
    #expect(received.headers["X-Empty"] == "")
    #expect(received.headers[.contentType] == body.contentType?.description)
    #expect(received.body == bytes(of: body))
    await server.stop()
  }
}
