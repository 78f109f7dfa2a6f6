//: # A client with an error model
//: What the service says about errors is declared once, and every call has it.
import Foundation
import Freshet
import FreshetTesting

nonisolated struct Tweet: Decodable, Sendable { var text: String, user: TwitterUser }
nonisolated struct TwitterUser: Decodable, Sendable { var name: String }
nonisolated struct TwitterError: Decodable, Sendable { var message: String }

//: A protocol of one's own is the place for what all its calls share.
nonisolated protocol TwitterEndpoint: Endpoint where Failure == TwitterError {}

nonisolated struct HomeTimeline: TwitterEndpoint {
  typealias Output = [Tweet]
  var path: RequestPath { "statuses/home_timeline.json" }
}

nonisolated struct ShowUser: TwitterEndpoint {
  typealias Output = TwitterUser
  var name: String
  var path: RequestPath { "users/show/\(name)" }
}

func show(_ origin: LoopbackServer) async throws {
  let client = Client { $0.baseURL = origin.url("/1.1") }

  for tweet in try await client.call(HomeTimeline()).output {
    print(tweet.user.name + ":", tweet.text)
  }

  //: An error response is a typed failure; it keeps status, headers and body.
  do {
    _ = try await client.call(ShowUser(name: "nobody/else")).value
  } catch {
    switch error {
    case .rejected(let rejection):
      print("rejected", rejection.status.rawValue, rejection.model?.message ?? "")
    case .failed(let error):
      print("no answer:", error)
    }
  }
}

do {
  let timeline =
    #"[{"text": "Hello", "user": {"name": "Ann"}}, {"text": "Hi", "user": {"name": "Bob"}}]"#
  let missing = #"{"message": "User not found."}"#
  let origin = try LoopbackServer([
    "/1.1/statuses/home_timeline.json": .json(timeline),
    "/1.1/users/show/nobody%2Felse": .json(missing, status: 404),
  ])
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
