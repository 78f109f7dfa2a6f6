//: # Record and replay
//: What a server said can be kept in an HTTP archive, which browsers' tools open, and played again
//: without it. Secrets are left out.
import Foundation
import Freshet
import FreshetTesting

func show(_ origin: LoopbackServer, _ archive: URL) async throws {
  let recorder = HARRecorder()
  let online = Client {
    $0.transport = DefaultTransport().recording(to: recorder)
    $0.baseURL = origin.url()
    $0.headers[.authorization] = "Bearer s3cret"
  }
  let river = try await online.send(.get("rivers/1")).unwrap(at: "name").decode(String.self).value
  _ = try await online.send(.get("rivers/2")).value
  print("recorded", recorder.count, "exchanges:", river.value)
  try recorder.write(to: archive)

  //: The archive is readable, and has no secret in it.
  let text = try String(contentsOf: archive, encoding: .utf8)
  print("holds the secret:", text.contains("s3cret"))

  //: The server is gone now, and the same calls get the same answers.
  await origin.stop()
  let replay = try ReplayTransport(contentsOf: archive)
  let offline = Client {
    $0.transport = replay
    $0.baseURL = origin.url()
  }
  let again = try await offline.send(.get("rivers/1")).unwrap(at: "name").decode(String.self).value
  print("replayed", again.value)
  print("replayed", try await offline.send(.get("rivers/2")).value.status.rawValue)

  //: What was not recorded is not made up.
  do {
    _ = try await offline.send(.get("rivers/3")).value
  } catch {
    print("unknown:", error.kind)
  }
}

do {
  let folder = try TemporaryDirectory()
  let origin = try LoopbackServer([
    "/rivers/1": .json(#"{"name": "Aare"}"#),
    "/rivers/2": .status(.notFound, body: "dried up"),
  ])
  try await show(origin, folder.file("rivers.har"))
} catch {
  print("failed:", error)
}

//: [Next](@next)
