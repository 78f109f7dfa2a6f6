//: # An envelope
//: Some services wrap every answer in `{"data": …, "meta": …}`. The payload is the value, and what
//: stands beside it stays on the response, typed.
import Foundation
import Freshet
import FreshetTesting

nonisolated struct Post: Decodable, Sendable { var text: String }
nonisolated struct Meta: Decodable, Sendable { var more: Bool }

//: An envelope is a model of the whole that says which part was asked for.
nonisolated struct AppNet<Payload: Decodable & Sendable>: Envelope {
  var data: Payload
  var meta: Meta
  var payload: Payload { data }
}

//: Errors do not come in the envelope's `data`.
nonisolated struct AppNetError: Decodable, Sendable { var error: String }

func show(_ origin: LoopbackServer) async throws {
  let client = Client { $0.baseURL = origin.url() }

  let posts = try await client.send(.get("posts"))
    .reject(as: AppNetError.self)
    .unwrap(as: AppNet<[Post]>.self)
    .value
  print("posts", posts.value.map(\.text))
  print("more", posts.envelope(as: AppNet<[Post]>.self)?.meta.more == true)

  //: The same by a path, without a model of the envelope.
  let first = try await client.send(.get("posts")).unwrap(at: "data.0").decode(Post.self).value
  print("first", first.value.text, try first.sibling(at: "meta.max_id", as: String.self))

  //: A payload that is not there is an error, unless an optional was asked for.
  let none = try await client.send(.get("empty")).unwrap(at: "data").decode(Post?.self).value
  print("none", none.value == nil)

  do {
    _ = try await client.send(.get("closed")).reject(as: AppNetError.self).unwrap(at: "data").value
  } catch {
    print("rejected", error.model?.error ?? "")
  }
}

do {
  let meta = #"{"more": true, "max_id": "9"}"#
  let origin = try LoopbackServer([
    "/posts": .json(#"{"data": [{"text": "one"}, {"text": "two"}], "meta": \#(meta)}"#),
    "/empty": .json(#"{"data": null, "meta": \#(meta)}"#),
    "/closed": .json(#"{"error": "Log in first"}"#, status: 401),
  ])
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
