//: # First fetch
//: A call is a stream: progress on the way, then the value. This page brings its own origin, so that
//: it needs no network.
import Foundation
import Freshet
import FreshetTesting

func show(_ origin: LoopbackServer) async throws {
  let client = Client()
  let url = origin.url("/logo.png")

  //: The events, one by one.
  for try await event in client.resource(at: url) {
    switch event {
    case .progress(let progress):
      print("progress", progress.completed, "of", progress.total ?? 0)
    case .value(let resource):
      print("value", resource.status, resource.source, resource.freshness)
    }
  }

  //: Or just the value. It is in memory by now.
  let logo = try await client.resource(at: url).value
  print("again", logo.source, logo.body.length, "bytes")

  //: Every value tells how it came about.
  print(logo.explanation)

  //: Started now, awaited later.
  let running = client.resource(at: url).start()
  print("promised", try await running.value.source)
}

do {
  let picture = Data(repeating: 7, count: 300_000)
  let origin = try LoopbackServer([
    "/logo.png": .content(picture, type: "image/png", cacheControl: "max-age=60")
  ])
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
