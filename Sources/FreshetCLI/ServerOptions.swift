import Foundation
import Freshet

/// The options of all commands that send requests: header fields, credentials and connections.
///
/// They mean what they mean to cURL.
struct ServerOptions: Sendable {
  var headers: HTTPHeaders = [:]
  /// A user, perhaps with a password behind a colon.
  var user: String?
  /// The file of the authorities that are trusted in place of the system's, if that was asked for.
  var authority: URL?
  /// The files of the client's certificate and of its key, which may be the same.
  var certificate: URL?
  var key: URL?
  /// The Unix socket over which the requests go, if that was asked for.
  var unixSocket: URL?

  /// Takes an option; `false` if it is none of these.
  mutating func apply(
    _ option: String,
    _ arguments: inout Arguments
  ) throws(UsageError) -> Bool {
    func file() throws(UsageError) -> URL { URL(filePath: try arguments.path(of: option)) }
    switch option {
    case "--header", "-H": try arguments.addHeader(of: option, to: &headers)
    case "--user", "-u": user = try arguments.text(of: option)
    #if !canImport(Darwin)
    case "--cacert": authority = try file()
    case "--cert", "-E": certificate = try file()
    case "--key": key = try file()
    case "--unix-socket": unixSocket = try file()
    #endif
    default: return false
    }
    return true
  }

  /// Ends the reading of the options; a password that is not given is asked for on the terminal.
  mutating func end() throws(UsageError) {
    guard key == nil || certificate != nil else { throw UsageError("--key needs --cert") }
    // A field that was written out is what was meant.
    guard let user, !headers.contains(.authorization) else { return }
    var credentials = user
    if !user.contains(":") {
      guard let password = Password.ask(for: user) else {
        throw UsageError(
          "--user needs USER:PASSWORD when there is no terminal to ask for the password"
        )
      }
      credentials += ":\(password)"
    }
    headers[.authorization] = "Basic \(Data(credentials.utf8).base64EncodedString())"
  }

  /// Returns a client without stores.
  func client() -> Client {
    Client {
      $0.memory = nil
      $0.headers = headers
      #if !canImport(Darwin)
      $0.transport = CurlTransport { configure(&$0) }
      #endif
    }
  }

  #if !canImport(Darwin)
  func configure(_ configuration: inout CurlTransport.Configuration) {
    configuration.unixSocket = unixSocket
    if let authority { configuration.trust = .file(authority) }
    if let certificate {
      configuration.identity = .init(certificate: certificate, key: key ?? certificate)
    }
  }
  #endif
}
