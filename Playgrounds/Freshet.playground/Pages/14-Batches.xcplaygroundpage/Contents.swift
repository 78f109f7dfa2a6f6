//: # Batches
//: Many resources are one stream: planned before a byte is moved, with sums of the whole on the way.
import Foundation
import Freshet
import FreshetTesting

func show(_ origin: LoopbackServer) async throws {
  let client = Client()
  let urls = (1...5).map { origin.url("/tiles/\($0)") } + [origin.url("/tiles/none")]
  _ = try await client.resource(at: urls[0]).value

  //: The plan is a value. It asks for sizes only; one tile is fresh in memory, one is not there.
  let plan = try await client.batch(urls).plan().value
  let totals = plan.totals
  print("plan", totals.items, "items", totals.bytes, "bytes", totals.fresh, "fresh")
  print("unknown", plan.items.filter { $0.need == .unknown }.map(\.request.url.lastPathComponent))

  //: The run tells of each item and of the whole, whose share never falls.
  var shares: [Double] = []
  for try await event in plan.run(maxConcurrent: 2) {
    switch event {
    case .advanced(let whole): shares.append(whole.fraction ?? 0)
    case .failed(let item, let error):
      print("failed", item.request.url.lastPathComponent, error.kind)
    case .finished(let result):
      print("done", result.completedItems, "bytes", result.progress.completedBytes)
    case .started, .progressed, .received: break
    }
  }
  print("never fell:", shares == shares.sorted(), "- ends at", shares.last ?? 0)

  //: What many want at once is fetched once.
  let before = origin.requestCount
  let readers = (0..<100).map { _ in client.resource(at: origin.url("/slow")).start() }
  for reader in readers { _ = try await reader.value }
  print("a hundred readers,", origin.requestCount - before, "request")
}

do {
  var routes: [String: LoopbackServer.Answer] = [:]
  for tile in 1...5 {
    routes["/tiles/\(tile)"] = .content(Data(count: tile * 1_000), cacheControl: "max-age=60")
  }
  routes["/slow"] = .content(Data("slow".utf8), cacheControl: "max-age=60")
  let origin = try LoopbackServer(routes)
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
