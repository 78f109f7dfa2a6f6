import Foundation
import Freshet
import Testing

/// The answers to challenges, judged by a server that somebody else has written.
@Suite(.enabled(if: HTTPBin.isInstalled, "python3-httpbin is not installed")) struct HTTPBinTests {
  private struct Judgement: Decodable {
    let authenticated: Bool
    let user: String?
  }

  private func status(
    of path: String,
    _ credential: Credential,
    at server: HTTPBin
  ) async throws -> (HTTPStatus, Judgement?) {
    let session = Authenticator(credential, for: [server.base])
    let client = Client { $0.transport = DefaultTransport().authenticated(by: session) }
    let request = Request(server.base.appending(path: path))
    let response = try await client.send(request).value
    return (
      response.status, try? JSONDecoder().decode(Judgement.self, from: response.value)
    )
  }

  @Test func `digests match for every algorithm and quality, and wrong passwords fail`()
    async throws
  {
    let server = try await HTTPBin()
    for algorithm in ["MD5", "SHA-256"] {
      for quality in ["auth", "auth-int"] {
        let path = "digest-auth/\(quality)/ann/open-sesame/\(algorithm)"
        let good = Credential.digest(user: "ann", password: "open-sesame")
        let (status, judgement) = try await status(of: path, good, at: server)
        #expect(status == 200)
        #expect(judgement?.authenticated == true && judgement?.user == "ann")
        let bad = try await self.status(of: path, .login(user: "ann", password: "x"), at: server)
        #expect(bad.0 == 401)
      }
    }
  }

  @Test func `basic and bearer match`() async throws {
    let server = try await HTTPBin()
    let login = Credential.login(user: "ann", password: "open sesame")

    #expect(try await status(of: "basic-auth/ann/open sesame", login, at: server).0 == 200)
    #expect(try await status(of: "bearer", .bearer("token"), at: server).1?.authenticated == true)
  }
}
