import Foundation
import Freshet
import FreshetFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

private struct User: Decodable, Sendable {
  var name: String
}

private struct ServiceFault: Decodable, Sendable {
  var message: String
}

private struct Page<Item: Decodable & Sendable>: Envelope {
  var data: [Item]
  var next: String?
  var payload: [Item] { data }
}

private func routes(session: URLSession) async throws {
  let router = try Router(
    basePath: "v1",
    [
      Route("users/*", User.self),
      Route("users", [User].self).unwrap("data"),
      Route(error: ServiceFault.self),
    ]
  )

  func user(_ id: Int) async throws -> User {
    let path: RequestPath = "https://api.example/v1/users/\(id)"
    let request = URLRequest(url: try path.url(base: nil))
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else {
      throw URLError(.badServerResponse)
    }
    return try router.decode(from: data, response, for: request)
  }
  _ = user
}

private struct Decodings {
  func users(_ data: Data, _ response: HTTPURLResponse) throws -> [User] {
    try Decoding<[User]>.lenient().value(of: data, response, at: "data.items")
  }
}

private struct Pages {
  func page(_ data: Data, _ response: HTTPURLResponse) throws {
    let users = try Decoding<[User]>.unwrapping(Page<User>.self)
      .value(of: Response(data, response))
    print(users.value.count, users.envelope(as: Page<User>.self)?.next ?? "the last")
  }
}
