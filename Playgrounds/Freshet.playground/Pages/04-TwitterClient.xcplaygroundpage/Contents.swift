//: # A client with routes and an error model
//: What the service says about errors is declared once, and every call has it.
import Foundation
import Freshet
import FreshetTesting

nonisolated struct Tweet: Decodable, Sendable { var text: String, user: TwitterUser }

nonisolated struct TwitterUser: Decodable, Sendable { var name: String }

nonisolated struct TwitterError: Decodable, Sendable {
  nonisolated struct Detail: Decodable, Sendable { var code: Int, message: String }
  var errors: [Detail]
}

//: A protocol of one's own is the place for what all its calls share.
nonisolated protocol TwitterEndpoint: Endpoint where Failure == TwitterError {}

nonisolated struct HomeTimeline: TwitterEndpoint {
  typealias Output = [Tweet]
  var count = 20
  var path: RequestPath { "statuses/home_timeline.json" }
  var query: ParameterList { ["count": count, "trim_user": false] }
}

nonisolated struct ShowUser: TwitterEndpoint {
  typealias Output = TwitterUser
  var name: String
  var path: RequestPath { "users/show/\(name)" }
}

func show(_ origin: LoopbackServer) async throws {
  let client = Client {
    $0.baseURL = origin.url("/1.1")
    $0.headers[.authorization] = "Bearer 123"
  }

  for tweet in try await client.call(HomeTimeline(count: 2)).output {
    print(tweet.user.name + ":", tweet.text)
  }

  //: An error response is a typed failure; it keeps status, headers and body.
  do {
    _ = try await client.call(ShowUser(name: "nobody/else")).value
  } catch {
    switch error {
    case .rejected(let rejection):
      print("rejected", rejection.status.rawValue, rejection.model?.errors.first?.message ?? "")
    case .failed(let error):
      print("no answer:", error)
    }
  }

  //: Or the models by path, for calls that are made by hand.
  let router = try Router(
    basePath: "1.1",
    [
      Route("statuses/*", [Tweet].self),
      Route("users/**", TwitterUser.self),
      Route(error: TwitterError.self),
    ]
  )
  let tweets = try await client.send(.get("statuses/home_timeline.json"))
    .decode([Tweet].self, by: router)
    .value
  print("routed", tweets.value.count, "tweets")
}

do {
  let timeline =
    #"[{"text": "Hello", "user": {"name": "Ann"}}, {"text": "Hi", "user": {"name": "Bob"}}]"#
  let missing = #"{"errors": [{"code": 50, "message": "User not found."}]}"#
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
