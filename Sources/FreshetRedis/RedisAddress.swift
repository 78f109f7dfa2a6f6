#if Redis && !canImport(Darwin)
import Freshet
import FreshetEssentials

struct RedisAddress: Sendable, Hashable {
  enum Place: Sendable, Hashable {
    case host(String, port: UInt16)
    case socket(path: String)
  }

  let place: Place
  let isSecure: Bool

  /// The name or the address that the server's certificate must have, without the dot at the end of a
  /// complete name; `nil` without TLS.
  var secureHost: String? {
    guard isSecure, case .host(let host, _) = place else { return nil }
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }

  /// Reads a URL: `redis://[user[:password]@]host[:port][/database]`, `rediss://…` for TLS, or
  /// `unix:///path`, each with `?database=number` or `?db=number`.
  ///
  /// User, password and database are written to the configuration.
  ///
  /// - Throws: ``FreshetError/store(_:)``, which does not contain the URL: it may have a password.
  init(_ url: String, _ configuration: inout SharedStore.Configuration) throws(FreshetError) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased() else {
      throw .store("the URL of the shared store is not a URL")
    }
    if let user = parts.user, !user.isEmpty { configuration.user = user }
    if let password = parts.password { configuration.password = password }
    switch scheme {
    case "redis", "rediss":
      // Brackets around an IPv6 address belong to the URL.
      let host = (parts.host ?? "").filter { $0 != "[" && $0 != "]" }
      guard !host.isEmpty, host != "." else {
        throw .store("the URL of the shared store has no host")
      }
      guard let port = UInt16(exactly: parts.port ?? 6379), port > 0 else {
        throw .store("the port in the URL of the shared store is not valid")
      }
      place = .host(host, port: port)
      isSecure = scheme == "rediss"
      let database = parts.path.drop { $0 == "/" }
      if !database.isEmpty { try Self.readDatabase(String(database), &configuration) }
    case "unix":
      guard !parts.path.isEmpty else {
        throw .store("the URL of the shared store has no path")
      }
      // The size of `sun_path`, with the zero at its end: hiredis cuts a longer path.
      guard parts.path.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else {
        throw .store("the path in the URL of the shared store is too long")
      }
      place = .socket(path: parts.path)
      isSecure = false
    default:
      throw .store("the URL of the shared store does not begin with redis, rediss or unix")
    }
    for item in parts.queryItems ?? [] {
      guard ["database", "db"].contains(item.name) else {
        throw .store("the query in the URL of the shared store may only have the database")
      }
      try Self.readDatabase(item.value ?? "", &configuration)
    }
  }

  private static func readDatabase(
    _ database: String,
    _ configuration: inout SharedStore.Configuration
  ) throws(FreshetError) {
    guard let number = Int(database), number >= 0 else {
      throw .store("the database number in the URL of the shared store is not valid")
    }
    configuration.database = number
  }
}
#endif
