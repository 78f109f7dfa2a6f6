//: # A stage of your own
//: A pipeline is a chain of operators on `Fetch` steps, and so is whatever you add to it.
import Foundation
import Freshet
import FreshetTesting

//: This one keeps an eye on what is downloaded. It handles one kind of step and forwards the rest.
extension AsyncSequence where Self: Sendable, Element == Fetch, Failure == FreshetError {
  func reportDownloads() -> some AsyncSequence<Fetch, FreshetError> & Sendable {
    map { step in
      if case .downloaded(let downloaded) = step {
        print("downloaded", downloaded.response.body.length, "bytes")
      }
      return step
    }
  }
}

func show(_ origin: LoopbackServer) async throws {
  let memory = MemoryStore()
  let transport = DefaultTransport()

  //: The chain, written out: leave a stage away, and its behaviour is gone.
  let poem = Fetch.request(Request(.get, origin.url("/poem.txt")))
    .lookup(in: memory)
    .checkExpiry(.http)
    .revalidate(.conditional, over: transport)
    .download(over: transport)
    .reportDownloads()
    .persist(in: memory)
    .settle()

  //: A pipeline is cold: each reading runs it anew. The second one finds the poem in memory.
  for _ in 1...2 {
    let resource = try await poem.value
    print(String(decoding: try resource.data(), as: UTF8.self), "from", resource.origin)
  }
}

do {
  let origin = try LoopbackServer([
    "/poem.txt": .content(Data("A freshet".utf8), type: "text/plain", cacheControl: "max-age=60")
  ])
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
