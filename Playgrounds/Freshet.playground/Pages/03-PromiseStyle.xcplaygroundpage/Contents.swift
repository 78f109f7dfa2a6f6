//: # Promise style
//: A pipeline need not be iterated. It can be awaited, started now and awaited later, and shared.
import Foundation
import Freshet
import FreshetTesting

func show(_ origin: LoopbackServer) async throws {
  let client = Client { $0.baseURL = origin.url("/") }
  let name = client.send(.get("river")).unwrap(at: "name").decode(String.self)

  //: Cold: nothing has been sent yet, and each `value` sends anew.
  print("sent", origin.requestCount)
  print("awaited", try await name.value.value)

  //: Started now, awaited by whoever likes, as often as they like: it was sent once.
  let running = name.start()
  print("promised", try await running.value.value, try await running.value.value)
  print("sent", origin.requestCount)

  //: Two at once, and the next when both are there.
  async let aare = name.value
  async let length = client.send(.get("river")).unwrap(at: "length").decode(Int.self).value
  print("both", try await aare.value, try await length.value)

  //: Shared: however many wait, it runs once.
  let shared = name.share()
  async let one = shared.value
  async let two = shared.value
  print("shared", try await one.value == two.value, "sent", origin.requestCount)

  //: A failure has a type, so that `error` needs no cast.
  do {
    _ = try await client.send(.get("lake")).decode(String.self).value
  } catch {
    print("no lake:", error.kind, error.head?.status.rawValue ?? 0)
  }
}

do {
  let origin = try LoopbackServer(["/river": .json(#"{"name": "Aare", "length": 288}"#)])
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
