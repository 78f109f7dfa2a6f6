//: # Demo mode
//: An app can be shown before its server is there: each endpoint names a file that answers it.
import Foundation
import Freshet
import FreshetTesting

nonisolated struct City: Decodable, Sendable { var name: String }
nonisolated struct ServiceFault: Decodable, Sendable { var message: String }

nonisolated struct ListCities: Endpoint {
  typealias Output = [City]
  typealias Failure = ServiceFault
  var failureProbability = 0.0
  var path: RequestPath { "cities" }

  //: The demo's answers, its latency in real time, and how often it fails.
  var options: CallOptions {
    var demo = DemoRoute("cities", success: .file("cities.json"))
    demo.failure = .file("error.json", status: 503)
    demo.failureProbability = failureProbability
    demo.latency = .milliseconds(5) ... .milliseconds(20)
    return CallOptions { $0.demo = demo }
  }
}

func show(_ origin: LoopbackServer, _ files: URL) async throws {
  let power = DemoSwitch()
  let client = Client {
    $0.baseURL = origin.url()
    $0.demo = DemoTransport(directory: files, switchedBy: power)
  }

  let cities = try await client.call(ListCities()).output
  print("demo", cities.map(\.name), "requests", origin.requestCount)

  //: A failure is as real as a success.
  do {
    _ = try await client.call(ListCities(failureProbability: 1)).value
  } catch {
    print("demo failed with", error.head?.status.rawValue ?? 0, error.model?.message ?? "")
  }

  //: Off: the same call asks the server.
  power.isOn = false
  let live = try await client.call(ListCities()).output
  print("live", live.map(\.name), "requests", origin.requestCount)
}

do {
  let folder = try TemporaryDirectory()
  try Data(#"[{"name": "Rome"}, {"name": "Oslo"}]"#.utf8).write(to: folder.file("cities.json"))
  try Data(#"{"message": "closed for lunch"}"#.utf8).write(to: folder.file("error.json"))
  let origin = try LoopbackServer(["/cities": .json(#"[{"name": "Paris"}]"#)])
  try await show(origin, folder.url)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
