import Foundation
import Freshet
import Testing

@Suite struct DecodeResourceTests {
  private func client(_ reply: ServiceScript.Reply) -> Client { Client(ServiceScript(reply)) }

  @Test func `a resource's body is decoded, and its explanation kept`() async throws {
    let pipeline = client(.json(#"{"id":7,"name":"Ann"}"#))
      .resource(.get("users/7"))
      .decode(User.self)

    let response = try await pipeline.value

    #expect(response.value == User(id: 7, name: "Ann"))
    #expect(!response.explanation.isEmpty)
    #expect("\(pipeline)".hasSuffix(".decode(User)"))
  }

  @Test func `a body of another type fails with its key path`() async throws {
    let pipeline = client(.json(#"{"id":"x","name":"Ann"}"#))
      .resource(.get("users/7"))
      .decode(User.self, as: .json)

    let error = await #expect(throws: FreshetError.self) { try await pipeline.value }

    guard case .decoding(let failure, _, _) = error else { throw try #require(error) }
    #expect(failure.keyPath == "id")
  }

  @Test func `another status is the resource's failure`() async throws {
    let pipeline = client(.json("{}", status: 404)).resource(.get("users/7")).decode(User.self)

    let error = await #expect(throws: FreshetError.self) { try await pipeline.value }

    #expect(error?.kind == "status")
  }
}
