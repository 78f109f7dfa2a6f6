//: # A stage of your own
//: A fetch is a chain of stages, each of which handles some kinds of step.
import Foundation
import Freshet
import FreshetTesting

//: This one keeps an eye on what is downloaded: it is passed over by every other step.
struct ReportDownloads: FetchStage {
  var handles: Fetch.Kinds { .downloaded }

  func replyNow(to step: Fetch) -> Fetch.Reply? {
    if case .downloaded(let downloaded) = step {
      print("downloaded", downloaded.response.body.length, "bytes")
    }
    return .pass
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
    .appending(ReportDownloads())
    .persist(in: memory)
    .settle()

  //: A pipeline is cold: each reading runs it anew. The second one finds the poem in memory.
  for _ in 1...2 {
    let resource = try await poem.value
    print(String(decoding: try resource.data(), as: UTF8.self), "from", resource.source)
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
