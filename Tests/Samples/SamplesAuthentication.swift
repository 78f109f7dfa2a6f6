import Foundation
import Freshet

private func asking(
  api: URL,
  user: String,
  password: String,
  token: @escaping @Sendable () async throws -> String
) {
  let session = Authenticator(nil, for: [api]) { question in
    guard question.challenge("bearer") == nil else { return .bearer(try await token()) }
    return .login(user: user, password: password)
  }
  let client = Client { $0.transport = DefaultTransport().authenticated(by: session) }
  _ = client
}

private func sign(_ request: Request, with key: String) throws -> Request { request }

private func signatures(api: URL, keyID: String, key: String) {
  let signed = Authenticator(for: [api], subject: keyID) { request in
    try sign(request, with: key)
  }
  _ = signed
}

#if !canImport(Darwin)
private func proxies(address: URL, session: Authenticator, user: String, password: String) {
  let proxy = Authenticator(proxy: .login(user: user, password: password))
  let transport = DefaultTransport { $0.proxy = .url(address) }
    .authenticated(by: proxy)
    .authenticated(by: session)
  _ = transport
}

private func certificates(
  current: SHA256Checksum,
  backup: SHA256Checksum,
  known: Set<SHA256Checksum>,
  identity: CurlTransport.Identity
) {
  let transport = DefaultTransport {
    $0.pins["api.example.org"] = ServerPins(keys: [current, backup])
    $0.identities["api.example.org"] = identity
    $0.decideTrust = { server in
      server.problem == nil || server.key.map(known.contains) == true
    }
  }
  _ = transport
}
#endif
