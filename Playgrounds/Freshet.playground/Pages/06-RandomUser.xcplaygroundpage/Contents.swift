//: # A service, declared
//: A service call is a value. It says where it goes and what it gets; everything else has a default.
import Foundation
import Freshet
import FreshetTesting

//: The service answers with `{"results": [{"user": {"name": {"first": …}, …}}]}`. Nested keys need no
//: nested models: a property of the model may stand anywhere below the payload.
//: Models are `nonisolated`, for they are decoded off the main actor, which is this page's default.
nonisolated struct RandomUser: Decodable, Sendable {
  var firstName: String
  var city: String

  nonisolated private enum Keys: String, CodingKey { case name, location, first, city }
  init(from decoder: any Decoder) throws {
    let user = try decoder.container(keyedBy: Keys.self)
    firstName = try user.nestedContainer(keyedBy: Keys.self, forKey: .name)
      .decode(String.self, forKey: .first)
    city = try user.nestedContainer(keyedBy: Keys.self, forKey: .location)
      .decode(String.self, forKey: .city)
  }
}

nonisolated struct ShowRandomUser: Endpoint {
  typealias Output = RandomUser
  var seed: String
  var path: RequestPath { "api" }
  var query: ParameterList { ["seed": seed, "inc": ["name", "location"]] }
  var payload: PayloadPath { "results.0.user" }
}

func show(_ origin: LoopbackServer) async throws {
  let client = Client { $0.baseURL = origin.url("/v1") }

  //: One call, awaited.
  let response = try await client.call(ShowRandomUser(seed: "a b/c")).value
  print(response.value.firstName, "lives in", response.value.city)
  print("asked for", response.request?.url.query(percentEncoded: true) ?? "")

  //: The rest of the answer is still there, and typed.
  print("version", try response.sibling(at: "info.version", as: String.self))

  //: A single value needs no model at all.
  let path: PayloadPath = "results.0.user.name.first"
  print("just", try await client.send(.get("api")).unwrap(at: path).decode(String.self).value.value)
}

do {
  let body = """
    {"results": [{"user": {"name": {"title": "ms", "first": "Lea"}, "location": {"city": "Bern"}}}],
     "info": {"version": "1.4"}}
    """
  let origin = try LoopbackServer(["/v1/api": .json(body)])
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
