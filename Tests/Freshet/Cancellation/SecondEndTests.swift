import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

/// What failed more than once, or went on behind its failure.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SecondEndTests {
  private let sandbox = StoreSandbox()

  @Test func `entries that are cancelled fail once when they are read again`() async throws {
    let disk = DiskStore(directory: sandbox.url.appending(path: "store"))
    _ = try await disk.keep(try .sample())

    #expect(await CancelledReading.failures(of: disk.entries) == 1)
    await disk.close()
  }

  /// Chunks of which the second fails once, and that end then as if they were whole.
  private struct Broken: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
      var count = 0

      mutating func next() async throws -> Data? {
        count += 1
        if count == 2 { throw FreshetError.noValue }
        return count == 1 ? Data("beginning".utf8) : nil
      }
    }

    func makeAsyncIterator() -> Iterator { Iterator() }
  }

  private func behindFailure(of body: RequestBody) async throws -> Data {
    var behind = Data()
    var hasFailed = false
    var iterator: any AsyncIteratorProtocol<Data, any Error> = body.chunks.makeAsyncIterator()
    for _ in 0..<5 {
      do {
        let chunk = try await iterator.next(isolation: #isolation)
        if hasFailed { behind += chunk ?? Data() }
      } catch {
        #expect(!hasFailed)
        hasFailed = true
      }
    }
    #expect(hasFailed)
    return behind
  }

  @Test func `a compressed body that breaks does not continue when it is read again`() async throws
  {
    let body = RequestBody.stream { Broken() }

    #expect(try await behindFailure(of: body.gzipped()).isEmpty)
  }

  @Test func `a form whose part breaks does not continue when it is read again`() async throws {
    let form = MultipartBody([.stream("a") { Broken() }])

    #expect(try await behindFailure(of: try .multipart(form)).isEmpty)
  }
}
