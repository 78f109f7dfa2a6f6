//: # Stale, then fresh
//: A copy that has expired can be shown at once, while the origin is asked whether it is still right.
import Foundation
import Freshet
import FreshetTesting

func show(_ name: String, _ news: ResourceSequence) async throws {
  for try await event in news {
    guard case .value(let resource) = event else { continue }
    let text = String(decoding: try resource.data(), as: UTF8.self)
    let last = resource.isFinal ? "last" : "for now"
    print("\(name):", text, "-", resource.source, resource.freshness, last)
  }
}

func tour(_ origin: LoopbackServer) async throws {
  let client = Client { $0.policy.stale = .beforeValidation }
  let news = client.resource(at: origin.url("/news"))

  //: Nothing is stored yet: the value comes from the network.
  try await show("first", news)

  //: What is stored has expired, and the origin says that it is still right: 304, no body.
  try await show("second", news)

  //: The origin has something new. The old comes at once, the new as soon as it is there.
  origin.route("/news", .content(Data("snow".utf8), eTag: "\"v2\"", cacheControl: "max-age=0"))
  try await show("third", news)

  //: `value` waits for the last one, and `first` does not.
  print("first:", try await news.first.freshness, "- value:", try await news.value.freshness)

  //: The origin is gone. A stale copy is better than an error, and says that it is stale.
  await origin.stop()
  try await show("offline", news)
}

do {
  let origin = try LoopbackServer([
    "/news": .content(Data("rain".utf8), eTag: "\"v1\"", cacheControl: "max-age=0")
  ])
  try await tour(origin)
} catch {
  print("failed:", error)
}

//: [Next](@next)
