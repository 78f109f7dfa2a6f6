import Foundation
import Freshet
import Testing

/// `output` at the end of pipelines of responses.
@Suite struct OutputTests {
  private let user = #"{"id":1,"name":"Ann"}"#

  private func client(_ json: String) -> Client { Client(ServiceScript(.json(json))) }

  @Test func `a pipeline of responses has the decoded body as its value`() async throws {
    let client = client(user)
    let url = try #require(URL(string: "https://a.example/me"))

    #expect(try await client.send(.get("x")).output == Data(user.utf8))
    #expect(try await client.send(.get("x")).decode(User.self).output == User(id: 1, name: "Ann"))
    #expect(
      try await client.resource(at: url).decode(User.self).output == User(id: 1, name: "Ann")
    )
    let running = client.send(.get("x")).decode(User.self).start()
    #expect(try await running.output == User(id: 1, name: "Ann"))
  }

  @Test func `the pipeline's failure is typed`() async throws {
    let call = client("[]").send(.get("x")).decode(User.self)

    do throws(FreshetError) {
      _ = try await call.output
      Issue.record("it has decoded")
    } catch {
      #expect(error.kind == "decoding")
    }
  }

  @Test func `uses a decoder unchanged`() async throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    struct Names: Decodable, Equatable { let firstName: String }

    let names = try await client(#"{"first_name":"Ann"}"#).send(.get("x"))
      .decode(Names.self, as: .json(decoder))
      .output

    #expect(names == Names(firstName: "Ann"))
  }
}
