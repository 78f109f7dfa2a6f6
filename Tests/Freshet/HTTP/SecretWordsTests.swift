import Foundation
import Testing

@testable import Freshet

@Suite struct SecretWordsTests {
  @Test(arguments: [
    "token", "access_token", "accessToken", "ACCESSTOKEN", "X-Auth-Token", "oauth_token_secret",
    "oauth_signature", "user[password]", "newPassword", "user.pwd", "userPwd", "authorization",
    "credential", "credentials", "X-Auth-Key", "X-Session-Id", "sessionid", "X-JWT-Assertion",
    "userJWTPart", "Set-Cookie", "apikey", "X-Api-Key", "private_key", "sig", "Signature-Input",
    "codeVerifier", "SAMLResponse", "csrf", "X-XSRF-Token", "pass", "client_secret",
    "token\u{301}", "pageTokenSecret", "next_access_token", "sessionPageToken", "X-Next-Page-Token",
  ])
  func `recognizes the names of secrets`(name: String) {
    #expect(SecretWords.contains(name))
  }

  @Test(arguments: [
    "", "name", "Content-Type", "author", "design", "assign", "passenger", "compass",
    "country_code",
    "Idempotency-Key", "Sec-WebSocket-Key", "WWW-Authenticate", "side", "outsider",
    "sessions_count",
    "Cache-Control", "ETag", "zip", "key", "pages",
    "pageToken", "page_token", "nextPageToken", "NextPageToken", "next-page-token",
    "prevPageToken", "previousPageToken", "pagination_token", "ContinuationToken",
    "NextContinuationToken", "nextToken", "next_token", "cursorToken",
  ])
  func `recognizes the names of other values`(name: String) {
    #expect(SecretWords.contains(name) == false)
  }

  @Test func `a permission of a server is not a credential`() {
    #expect(!Redaction.isSecret("Access-Control-Allow-Credentials"))
    #expect(Redaction.isSecret("X-Auth-Key") && Redaction.isSecret("X-Session-Id"))
  }

  @Test(arguments: ["data:", "DATA:"])
  func `shows no content of a URL that is its own content`(scheme: String) throws {
    let url = try #require(URL(string: scheme + "image/png;base64,iVBORw0KGgo"))
    let error = FreshetError.invalidRequest("it is not sent", url: url.absoluteString)

    #expect(Redaction.shown(url) == "data:…")
    #expect(error.description == "The request for data:… is not valid: it is not sent.")
  }

  @Test(arguments: ["Idempotency-Key", "Sec-WebSocket-Key", "Surrogate-Key", "X-Cache-Key", "Key"])
  func `shows a key that belongs to nobody`(name: String) {
    #expect(!Redaction.isSecret(HTTPHeaders.Name(name)))
  }
}
