import Foundation
import FreshetTesting
import Testing

@testable import Freshet

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

  @Test @MarkedActor func `the body of a file is read off the caller's actor`() async throws {
    let folder = try TemporaryDirectory()
    let text = #"{"id":7,"name":"Ann"}"#
    try Data(text.utf8).write(to: folder.file("body"))
    let places = Guarded<[Bool]>([])
    let stage = ReadingFromFile(file: folder.file("body"), places: places)
    let client = Client {
      $0.transport = ServiceScript(.json(text))
      $0.memory = nil
      $0.editChain = { $0.appending(stage) }
    }
    let request = try Request(to: "https://api.test/users/7")

    let user = try await client.resource(request).decode(User.self).output
    let sent = try await client.send(request) { $0.cache = ResourcePolicy() }.value.value

    #expect(user == User(id: 7, name: "Ann"))
    #expect(sent == Data(text.utf8))
    #expect(MarkedActor.isCurrent)
    #expect(places.value == [false, false])
    withExtendedLifetime(folder) {}
  }
}

/// Puts a file in the place of each body, and notes whether its first reader is on the marked actor.
private struct ReadingFromFile: FetchStage {
  let file: URL
  let places: Guarded<[Bool]>

  var handles: Fetch.Kinds { .downloaded }

  func replyNow(to step: Fetch) throws(FreshetError) -> Fetch.Reply? {
    guard case .downloaded(var downloaded) = step else { return .pass }
    let digest = try downloaded.response.sha256()
    let verification = BodyVerification(digest) { [places] _ in
      places.change { $0.append(MarkedActor.isCurrent) }
    }
    let length = downloaded.response.body.length
    do throws(FileFailure) {
      let body = BodyFile(
        try OpenFile(file.path, O_RDONLY),
        url: file,
        length: length,
        isTemporary: false,
        verification: verification
      )
      downloaded.response = downloaded.response.with(body: ResourceBody(body), digest: nil)
    } catch {
      throw error.error(at: file.path)
    }
    return .step(.downloaded(downloaded))
  }
}
