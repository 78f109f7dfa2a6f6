//: # Models by route
//: A router is a table of paths and models. It is checked when it is made, and typed on the way out.
import Foundation
import Freshet
import FreshetTesting

nonisolated struct Account: Decodable, Sendable { var login: String }
nonisolated struct Organization: Decodable, Sendable { var login: String, description: String? }
nonisolated struct Issue: Decodable, Sendable { var number: Int }
nonisolated struct GitHubError: Decodable, Sendable { var message: String }

func show(_ origin: LoopbackServer) async throws {
  let client = Client { $0.baseURL = origin.url() }
  let router = try Router([
    Route("users/*", Account.self),
    Route("orgs/*", Organization.self),
    Route("repos/*/*/issues", [Issue].self),
    Route("repos/*/*/issues/#", Issue.self),
    Route(error: GitHubError.self),
  ])

  let user = try await client.send(.get("users/octocat")).decode(Account.self, by: router).value
  let org = try await client.send(.get("orgs/apple")).decode(Organization.self, by: router).value
  print("user", user.value.login, "- org", org.value.description ?? "")

  let issues = try await client.send(.get("repos/apple/swift/issues"))
    .decode([Issue].self, by: router).value
  print("issues", issues.value.map(\.number))

  //: Whoever asks for another type than the route makes is told so.
  do {
    _ = try await client.send(.get("users/octocat")).decode(Organization.self, by: router).value
  } catch {
    print(error)
  }

  //: An error response is the model that the routes have for errors.
  do {
    _ = try await client.send(.get("repos/apple/swift/issues/7")).decode(Issue.self, by: router)
      .value
  } catch .rejected(let rejection) {
    print("rejected:", rejection.model(as: GitHubError.self)?.message ?? "")
  }
}

do {
  let origin = try LoopbackServer([
    "/users/octocat": .json(#"{"login": "octocat"}"#),
    "/orgs/apple": .json(#"{"login": "apple", "description": "Swift"}"#),
    "/repos/apple/swift/issues": .json(#"[{"number": 1}, {"number": 2}]"#),
    "/repos/apple/swift/issues/7": .json(#"{"message": "Not Found"}"#, status: 404),
  ])
  try await show(origin)
  await origin.stop()
} catch {
  print("failed:", error)
}

//: [Next](@next)
