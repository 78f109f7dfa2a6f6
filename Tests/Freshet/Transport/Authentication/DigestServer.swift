import Foundation
import FreshetTesting
import Synchronization

@testable import Freshet

/// A server that wants Digest: it counts nonces, lets each be used so often, and checks every answer.
final class DigestServer: Sendable {
  struct Settings: Sendable {
    var user = "Mufasa"
    var password = "Circle of Life"
    var realm = "lions"
    var algorithm: String? = "SHA-256"
    var qop: String? = "auth"
    /// The number of requests that a nonce is good for.
    var uses = Int.max
    /// Whether a nonce that is used up is said to be stale.
    var saysStale = true
    /// Whether each answer names the next nonce.
    var namesNext = false
    var isProxy = false
  }

  fileprivate struct State {
    var counts: [String: Set<String>] = [:]
    /// The nonces of the key, by a nonce that follows them (RFC 7616 section 3.4.2).
    var sessions: [String: [String]] = [:]
    var rejected = 0
    var settings: Settings
  }

  private let state: Mutex<State>

  init(_ settings: Settings = Settings()) {
    state = Mutex(State(settings: settings))
  }

  /// The number of answers with a wrong response.
  var rejectedCount: Int { state.withLock(\.rejected) }

  func set(password: String) {
    state.withLock { $0.settings.password = password }
  }

  var transport: ScriptedTransport {
    ScriptedTransport { [self] request in
      let rest = URLParts(request.url.absoluteString)?.rest.prefix { $0 != "#" } ?? ""
      var body = Data()
      if case .bytes(let data) = request.body?.source { body = data }
      let target =
        isProxy
        ? request.url.absoluteString.replacing(":80/", with: "/")
        : rest.isEmpty ? "/" : String(rest)
      let (status, headers) = answer(request.method, target, request.headers, body)
      return ScriptedResponse(status, headers: headers, body: Data("\(status.rawValue)".utf8))
    }
  }

  private var isProxy: Bool { state.withLock(\.settings.isProxy) }

  /// The answer to a request.
  func answer(
    _ method: HTTPMethod,
    _ target: String,
    _ headers: HTTPHeaders,
    _ body: Data
  ) -> (HTTPStatus, HTTPHeaders) {
    state.withLock { state in
      let settings = state.settings
      let name: HTTPHeaders.Name = settings.isProxy ? "Proxy-Authorization" : "Authorization"
      let given = Challenge.all(in: headers, of: name).first
      guard let given, given.scheme == "digest" else { return state.challenge(isStale: false) }
      guard given.parameters["response"] == state.expected(given.parameters, method, target, body)
      else {
        state.rejected += 1
        return state.challenge(isStale: false)
      }
      let nonce = given.parameters["nonce"] ?? ""
      guard var counts = state.counts[nonce] else { return state.challenge(isStale: true) }
      // Each number is used once; without a protection there are none.
      let isNew = counts.insert(given.parameters["nc"] ?? "\(counts.count)").inserted
      guard isNew, counts.count <= settings.uses else { return state.challenge(isStale: true) }
      state.counts[nonce] = counts
      guard settings.namesNext else { return (200, [:]) }
      let next = state.nonce()
      state.sessions[next] = state.sessions[nonce] ?? [nonce, given.parameters["cnonce"] ?? ""]
      return (200, ["Authentication-Info": "qop=auth, nextnonce=\"\(next)\""])
    }
  }
}

extension DigestServer.State {
  fileprivate mutating func nonce() -> String {
    let nonce = "nonce-\(counts.count)"
    counts[nonce] = []
    return nonce
  }

  fileprivate mutating func challenge(isStale: Bool) -> (HTTPStatus, HTTPHeaders) {
    var line = "Basic realm=\"\(settings.realm)\", Digest realm=\"\(settings.realm)\""
    line += ", nonce=\"\(nonce())\", opaque=\"o\""
    if let algorithm = settings.algorithm { line += ", algorithm=\(algorithm)" }
    if let qop = settings.qop { line += ", qop=\"\(qop)\"" }
    if isStale, settings.saysStale { line += ", stale=true" }
    return settings.isProxy
      ? (407, ["Proxy-Authenticate": line]) : (401, ["WWW-Authenticate": line])
  }

  /// The response that belongs to the answer's own parameters.
  fileprivate func expected(
    _ given: [String: String],
    _ method: HTTPMethod,
    _ target: String,
    _ body: Data
  ) -> String? {
    let name = (settings.algorithm ?? "MD5").lowercased()
    let algorithms: [String: ChecksumHasher.Algorithm] = [
      "md5": .md5, "md5-sess": .md5, "sha-256": .sha256, "sha-256-sess": .sha256,
    ]
    guard given["uri"] == target, given["realm"] == settings.realm, given["opaque"] == "o",
      let algorithm = algorithms[name]
    else { return nil }
    func hash(_ data: Data) -> String {
      ChecksumHasher.digest(algorithm, of: data).map { String(format: "%02x", $0) }.joined()
    }
    let (nonce, cnonce) = (given["nonce"] ?? "", given["cnonce"] ?? "")
    var key = hash(Data("\(settings.user):\(settings.realm):\(settings.password)".utf8))
    if name.hasSuffix("-sess") {
      let session = sessions[nonce] ?? [nonce, cnonce]
      key = hash(Data("\(key):\(session.joined(separator: ":"))".utf8))
    }
    var message = "\(method.rawValue):\(target)"
    if given["qop"] == "auth-int" { message += ":\(hash(body))" }
    let digest = hash(Data(message.utf8))
    guard let qop = given["qop"] else { return hash(Data("\(key):\(nonce):\(digest)".utf8)) }
    return hash(Data("\(key):\(nonce):\(given["nc"] ?? ""):\(cnonce):\(qop):\(digest)".utf8))
  }
}
