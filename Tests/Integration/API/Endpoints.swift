import Foundation
import Freshet

struct User: Codable, Sendable, Equatable {
  var id: Int
  var name: String
}

struct Meta: Codable, Sendable, Equatable {
  var count: Int
  var next: String?
}

/// What the API says about an error: `{"error": {"code": …, "message": …}}`.
struct Fault: Decodable, Sendable, Equatable {
  struct Detail: Decodable, Sendable, Equatable {
    var code: String
    var message: String
  }
  var error: Detail
}

protocol APIEndpoint: Endpoint where Failure == Fault {}

extension APIEndpoint {
  var payload: PayloadPath { "data" }
}

struct CreateUser: APIEndpoint {
  typealias Output = User
  var name: String?
  var method: HTTPMethod { .post }
  var path: RequestPath { "users" }
  var body: RequestBody? {
    get throws(FreshetError) { try .json(["name": name]) }
  }
}

struct ShowUser: APIEndpoint {
  typealias Output = User
  var id: String
  var path: RequestPath { "users/\(id)" }
}

struct RemoveUser: APIEndpoint {
  typealias Output = EmptyResponse
  var id: Int
  var method: HTTPMethod { .delete }
  var path: RequestPath { "users/\(id)" }
}

struct ListUsers: APIEndpoint {
  typealias Output = [User]
  var limit: Int
  var path: RequestPath { "users" }
  var query: ParameterList { ["limit": limit] }
}

struct ShowMe: APIEndpoint {
  typealias Output = User
  var path: RequestPath { "me" }
}

struct Limited: APIEndpoint {
  struct Output: Decodable, Sendable { var attempts: Int, key: String? }
  var path: RequestPath
  var refusals = 2
  var after = "1"
  var method = HTTPMethod.get
  var retry: RetryPolicy?
  var query: ParameterList { ["refusals": refusals, "after": after] }
  var payload: PayloadPath { "" }
  var options: CallOptions { CallOptions { $0.retry = retry } }
}

/// What a login or a refresh brings.
struct Token: Decodable, Sendable {
  var accessToken: String
  var refreshToken: String

  enum CodingKeys: String, CodingKey {
    case accessToken = "access_token"
    case refreshToken = "refresh_token"
  }

  var credential: Credential { .bearer(accessToken, refreshToken: refreshToken) }
}
