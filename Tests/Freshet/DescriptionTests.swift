import Foundation
import Freshet
import FreshetTesting
import Testing

/// What `print` and `dump` show.
@Suite struct DescriptionTests {
  private static let secret = "hunter2"

  private func texts(_ value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), dumped]
  }

  private func request() throws -> Request {
    try Request(.put, to: "https://a.test/x?token=hunter2#hunter2") {
      $0.headers = [.authorization: "Bearer hunter2", "X-Name": "Ann"]
    }
  }

  private func head() throws -> ResponseHead {
    let headers: HTTPHeaders = [
      .setCookie: "a=hunter2", .location: "/y?access_token=hunter2&page=2",
      "Link": "<https://a.test/x?access_token=hunter2&page=2>; rel=next",
    ]
    return ResponseHead(status: 302, headers: headers, url: try request().url)
  }

  @Test func `requests and responses show no secrets`() throws {
    let (request, head) = (try request(), try head())
    let redirect = Redirect(head: head, target: request.url, method: .get)
    let values: [Any] = [
      request, head, redirect, head.headers, Array(head.headers), TransferEvent.head(head),
      TransferEvent.redirected(redirect), Response(head: head, value: 1),
    ]

    for value in values {
      for text in texts(value) { #expect(!text.contains(Self.secret), "\(text)") }
    }
  }

  @Test func `bodies and decoded values are not shown, and no internals`() async throws {
    let url = try request().url
    let body = RequestBody.bytes(Data("token=hunter2".utf8), contentType: MediaType("a", "b"))
    let client = Client {
      $0.memory = nil
      $0.transport = DefaultTransport()
        .intercepted { _, _ in
          Transfer(
            response: ResponseHead(status: 200, headers: [.setCookie: "a=hunter2"], url: url),
            body: Data("hunter2".utf8)
          )
        }
    }
    let resource = try await client.resource(at: url).value
    let response = try await client.send(Request(url)).decode(String.self, as: .text).value
    let running = client.resource(at: url).start()
    _ = try await running.value

    #expect("\(body)" == "13 bytes of a/b")
    #expect("\(RequestBody.file(URL(filePath: "/hunter2")))" == "a file")
    #expect("\(resource)" == "200 from https://a.test/x, 7 bytes from network, fresh")
    #expect("\(resource.response)" == "200 from https://a.test/x, 7 bytes")
    #expect("\(resource.body)" == "7 bytes")
    #expect("\(response)" == "200 from https://a.test/x, 7 bytes as String")
    #expect("\(running)" == "running, for Resource")
    for value in [body, resource, resource.response, resource.body, running] as [Any] {
      for text in texts(value) { #expect(!text.contains(Self.secret), "\(text)") }
    }
    #expect(!"\(response)".contains(Self.secret))
    #expect("\(Event.value(response))".contains("200 from https://a.test/x, 7 bytes as String"))
  }

  @Test func `pipelines and their client show no secrets`() async throws {
    let client = Client {
      $0.transport = ScriptedTransport(sequence: [.text("one")])
      $0.headers = ["X-Odd": "hunter2", .authorization: "Bearer hunter2"]
      $0.secretHeaders = ["X-Odd"]
      $0.query = ["token": "hunter2"]
    }
    var request = try request()
    request.headers["X-Odd"] = "hunter2"
    let batch = client.batch([request])
    let values: [Any] = [
      client, client.configuration, client.chain(for: request), client.resource(request), batch,
      batch.run(), client.send(request), try await batch.plan().value,
    ]

    for value in values {
      for text in texts(value) { #expect(!text.contains(Self.secret), "\(text)") }
    }
    let local = Client {
      $0.transport = ScriptedTransport(sequence: [.text("one")])
      $0.baseURL = URL(string: "https://ann:hunter2@a.test/v1/")
    }
    #expect("\(local)" == "client over ScriptedTransport, at https://a.test/v1/")
  }

  @Test(arguments: [200, 500])
  func `responses and their errors do not show fields that the client calls secret`(
    status: Int
  ) async throws {
    let headers: HTTPHeaders = ["X-Odd": "hunter2", "X-Name": "Ann"]
    let client = Client {
      $0.transport = ScriptedTransport { _ in
        ScriptedResponse(HTTPStatus(status), headers: headers, body: Data("body".utf8))
      }
      $0.memory = nil
      $0.secretHeaders = ["X-Odd"]
    }
    let url = try request().url
    var values: [Any] = [try await client.send(Request(url)).value]
    do throws(FreshetError) {
      values.append(try await client.resource(at: url).value)
    } catch {
      values.append(error)
    }

    for text in values.flatMap(texts) { #expect(!text.contains(Self.secret), "\(text)") }
    for value in values { #expect(texts(value).last?.contains("Ann") == true) }
  }

  @Test func `the failures of a batch show their items without secrets and internals`()
    async throws
  {
    let client = Client { $0.transport = ScriptedTransport { _ in .failure(.noValue) } }

    let result = try await client.batch([Request(.get, request().url)]).run().value

    let item = try #require(result.failures.first).item
    #expect("\(item)" == "0: GET https://a.test/x")
    for text in texts(result.failures) {
      #expect(!text.contains(Self.secret) && !text.contains("unknown context"), "\(text)")
    }
  }

  @Test func `progress shows its counts, and neither bytes nor internals`() {
    let progress = TransferProgress(completed: 4_096, total: 65_536, inherited: 1_024)

    #expect("\(TransferProgress(completed: 7))" == "7 bytes")
    #expect("\(progress)" == "4096 of 65536 bytes, 1024 of them inherited")
    #expect("\(Event<Int>.progress(progress))".contains("4096 of 65536 bytes"))
    for text in texts(progress) {
      #expect(!text.contains("isPersonal") && !text.contains("body"), "\(text)")
    }
  }

  @Test func `requests and responses show their parts`() throws {
    #expect("\(try request())" == "PUT https://a.test/x")
    #expect("\(try head())" == "302 from https://a.test/x")
    let redirect = Redirect(head: try head(), target: try request().url, method: .get)
    #expect("\(redirect)" == "302 from https://a.test/x, then GET https://a.test/x")
    #expect("\(try head().headers)".contains("Location: /y?access_token=redacted&page=2"))
    #expect("\(try head().headers)".contains("page=2>; rel=next"))
  }
}
