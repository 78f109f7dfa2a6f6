import Foundation
import Freshet
import FreshetTesting
import Testing

/// Fetches that begin in the moment in which others are cancelled.
@Suite(.timeLimit(.minutes(5))) struct BegunAnewTests {
  let folder: TemporaryDirectory

  private static let bytes = noise(300_000)

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func client() -> Client {
    let disk = DiskStore(directory: folder.file("store"))
    return Client {
      $0.disk = disk
      $0.memory = nil
      $0.memoryThreshold = 16_384
    }
  }

  private func server(_ count: Int, until gate: Gate) throws -> LoopbackServer {
    let whole = LoopbackServer.Answer
      .content(Self.bytes, eTag: "\"v1\"", cacheControl: "max-age=60")
    let answer = LoopbackServer.Answer.sequence([whole.held(after: 200_000, until: gate), whole])
    let routes = (0..<count).map { ("/\($0)", answer) }
    return try LoopbackServer(Dictionary(uniqueKeysWithValues: routes))
  }

  /// Fetches until some bytes are there, and leaves.
  ///
  /// - Returns: How many were seen.
  private func begin(_ url: URL, with client: Client, inBatch: Bool) async throws -> Int64 {
    var arrived: Int64 = 0
    if inBatch {
      for try await event in client.batch([url]).run() {
        if case .progressed(_, let progress) = event { arrived = progress.completed }
        if arrived >= 100_000 { break }
      }
    } else {
      for try await event in client.resource(at: url) {
        arrived = event.progress?.completed ?? arrived
        if arrived >= 100_000 { break }
      }
    }
    return arrived
  }

  @Test(arguments: [false, true])
  func `a fetch that starts during a cancellation resumes from the received bytes`(
    inBatch: Bool
  ) async throws {
    let gate = Gate()
    let server = try server(100, until: gate)
    let client = client()

    for round in 0..<100 {
      let url = server.url("/\(round)")
      let arrived = try await begin(url, with: client, inBatch: inBatch)
      let resource = try await client.resource(at: url).value

      let isWhole = try resource.data().elementsEqual(Self.bytes)
      #expect(isWhole)
      let range = server.requests.last { $0.path == url.path }?.headers[.range]
      let position = range.flatMap { Int64($0.dropFirst("bytes=".count).dropLast()) }
      #expect(position ?? 0 >= arrived, "\(range ?? "no range") after \(arrived) in \(round)")
    }

    await server.stop()
  }
}
