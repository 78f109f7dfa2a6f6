import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Digests that come with a response, compared before anybody gets its body.
@Suite struct VerifiedDownloadTests {
  let world = ClientWorld()

  private func field(_ text: String, _ algorithm: ChecksumHasher.Algorithm = .sha256) -> String {
    let digest = ChecksumHasher.digest(algorithm, of: Data(text.utf8)).base64EncodedString()
    return "\(algorithm == .sha256 ? "sha-256" : "sha-512")=:\(digest):"
  }

  private func fetch(_ responses: ScriptedResponse...) async throws -> Resource {
    try await world.client(ScriptedTransport(sequence: responses)).resource(try world.request)
      .value
  }

  @Test(arguments: ["Content-Digest", "Repr-Digest"] as [HTTPHeaders.Name])
  func `RFC 9530: delivers a body that matches its digest`(name: HTTPHeaders.Name) async throws {
    for algorithm in [ChecksumHasher.Algorithm.sha256, .sha512] {
      let resource = try await fetch(
        world.response("one", control: "no-cache", headers: [name: field("one", algorithm)])
      )
      #expect(try resource.text == "one")
    }
  }

  @Test(arguments: ["Content-Digest", "Repr-Digest"] as [HTTPHeaders.Name])
  func `RFC 9530: neither delivers nor stores a body that does not match`(
    name: HTTPHeaders.Name
  ) async throws {
    for algorithm in [ChecksumHasher.Algorithm.sha256, .sha512] {
      let error = await #expect(throws: FreshetError.self) {
        try await fetch(world.response("one", headers: [name: field("two", algorithm)]))
      }
      #expect(error?.kind == "corrupted")
      #expect(world.memory.count == 0)
    }
  }

  @Test(arguments: [HTTPMethod.put, .patch, .post])
  func `RFC 9530 3.1: an answer about a change may have the digest of what was changed`(
    method: HTTPMethod
  ) async throws {
    let changed: HTTPHeaders = ["Repr-Digest": field("the document")]
    let itself = changed.merging([.contentLocation: ClientWorld.url])
    let content: HTTPHeaders = ["Content-Digest": field("the document")]
    let client = world.client(
      ScriptedTransport(
        sequence: [changed, itself, content].map { world.response("done", headers: $0) }
      )
    )
    let request = try Request(method, ClientWorld.url)

    #expect(try await client.send(request).value.value == Data("done".utf8))
    for _ in 0..<2 {
      let error = await #expect(throws: FreshetError.self) { try await client.send(request).value }
      #expect(error?.kind == "corrupted")
    }
  }

  @Test(arguments: [true, false])
  func `a body for a file is hashed while it arrives if its digest is announced`(
    isTold: Bool
  ) async throws {
    let headers: HTTPHeaders = isTold ? ["Repr-Digest": field("a long text")] : [:]
    let client = world.client(
      ScriptedTransport(sequence: [world.response("a long text", headers: headers)])
    ) {
      $0.memory = nil
      $0.memoryThreshold = 4
    }

    let resource = try await client.resource(try world.request).value

    #expect((resource.response.digest != nil) == isTold)
    #expect(try resource.sha256() == SHA256Hasher.digest(of: Data("a long text".utf8)))
  }

  @Test func `a damaged new body leaves the copy, which is used`() async throws {
    let client = world.client(
      ScriptedTransport(sequence: [
        world.response("one"), world.response("tw0", headers: ["Repr-Digest": field("two")]),
      ])
    )
    _ = try await client.resource(try world.request).value
    world.clock.advance(by: .seconds(61))

    let resource = try await client.resource(try world.request).value

    #expect(resource.freshness == .stale)
    #expect(try resource.text == "one")
  }

  @Test func `the digest of a HEAD response is not compared with an empty body`() async throws {
    let client = world.client(
      ScriptedTransport(sequence: [
        ScriptedResponse(headers: ["Repr-Digest": field("one"), "Content-Digest": field("one")])
      ])
    )

    let head = try await client.resource(try Request(.head, ClientWorld.url)).value

    #expect(head.status == 200)
  }

  private func fetchPart(_ headers: HTTPHeaders) async throws -> Resource {
    let own: HTTPHeaders = [.contentRange: "bytes 0-1/4"]
    let transport = ScriptedTransport(sequence: [
      ScriptedResponse(206, headers: own.merging(headers), body: Data("ab".utf8))
    ])
    var request = try world.request
    request.headers[.range] = "bytes=0-1"
    return try await world.client(transport).resource(request).value
  }

  @Test func `RFC 9530 3: a part is not compared with the digest of the whole`() async throws {
    let part = try await fetchPart([
      "Repr-Digest": field("abcd"), "Content-Digest": field("ab", .sha512),
    ])

    #expect(part.status == .partialContent)
    #expect(try part.text == "ab")
  }

  @Test(arguments: [ChecksumHasher.Algorithm.sha256, .sha512])
  func `RFC 9530 2: a part with another Content-Digest is refused`(
    algorithm: ChecksumHasher.Algorithm
  ) async throws {
    let error = await #expect(throws: FreshetError.self) {
      try await fetchPart(["Content-Digest": field("abcd", algorithm)])
    }

    #expect(error?.kind == "corrupted")
  }

  // MARK: Calls

  @Test(arguments: ["Content-Digest", "Repr-Digest"] as [HTTPHeaders.Name])
  func `send and call deliver no body that does not match its digest`(
    name: HTTPHeaders.Name
  ) async throws {
    for (text, isRight) in [("one", true), ("two", false)] {
      let response = world.response("one", control: "no-store", headers: [name: field(text)])
      let client = world.client(ScriptedTransport(sequence: [response, response]))

      let call = client.send(try world.request)

      var texts: [String] = []
      for isStreamed in [false, true] {
        do {
          guard isStreamed else {
            texts.append(String(decoding: try await call.value.value, as: UTF8.self))
            continue
          }
          for try await event in call {
            if let response = event.value {
              texts.append(String(decoding: response.value, as: UTF8.self))
            }
          }
        } catch {
          texts.append(error.kind)
        }
      }

      #expect(texts == (isRight ? ["one", "one"] : ["corrupted", "corrupted"]))
    }
  }

  @Test func `a POST whose response does not match its digest is not stored`() async throws {
    let response = world.response(
      "one",
      headers: ["Content-Digest": field("two"), "Content-Location": ClientWorld.url]
    )
    let client = world.client(ScriptedTransport(sequence: [response]))

    await #expect(throws: FreshetError.self) {
      try await client.send(try Request(.post, ClientWorld.url)).value
    }

    #expect(world.memory.count == 0)
  }

  @Test func `the digests of a representation are not those of an empty answer`() async throws {
    let headers: HTTPHeaders = ["Repr-Digest": field("one")]
    let client = world.client(
      ScriptedTransport(sequence: [
        ScriptedResponse(headers: headers), ScriptedResponse(204, headers: headers),
        ScriptedResponse(204, headers: headers),
      ])
    )

    #expect(try await client.send(try Request(.head, ClientWorld.url)).value.status == 200)
    #expect(try await client.send(try Request(.put, ClientWorld.url)).value.status == 204)
    let resource = try await client.resource(try Request(.put, ClientWorld.url)).value
    #expect(try resource.data().isEmpty)
  }

  // MARK: Resumed

  private func broken(_ digest: String) -> ScriptedResponse {
    ScriptedResponse(
      headers: [.eTag: "\"v1\"", "Repr-Digest": digest, .contentLength: "4"],
      chunks: [Data("ab".utf8), Data("cd".utf8)]
    )
    .failing(with: .connection(.lost, url: ClientWorld.url), at: .afterChunks(1))
  }

  private func rest(_ text: String, _ headers: HTTPHeaders = [:]) -> ScriptedResponse {
    let own: HTTPHeaders = [.eTag: "\"v1\"", .contentRange: "bytes 2-3/4"]
    return ScriptedResponse(206, headers: own.merging(headers), body: Data(text.utf8))
  }

  @Test(arguments: [ChecksumHasher.Algorithm.sha256, .sha512])
  func `a body of two parts is compared as a whole`(
    algorithm: ChecksumHasher.Algorithm
  ) async throws {
    let resource = try await fetch(
      broken(field("abcd", algorithm)),
      rest("cd", ["Content-Digest": field("cd", algorithm)])
    )

    #expect(try resource.text == "abcd")
  }

  @Test(arguments: [false, true])
  func `a wrong part restarts the download`(isPartsOwn: Bool) async throws {
    let digest = isPartsOwn ? field("abXX") : field("abcd")
    let own: HTTPHeaders = isPartsOwn ? ["Content-Digest": field("cd")] : [:]
    let whole = ScriptedResponse(headers: [.eTag: "\"v1\""], body: Data("abcd".utf8))

    let resource = try await fetch(broken(digest), rest("XX", own), whole)

    #expect(try resource.text == "abcd")
  }
}
