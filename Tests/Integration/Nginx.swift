import Foundation
import FreshetTesting
import TestSupport

/// A real nginx on loopback, with HTTP, TLS by a test authority, and files of its own.
///
/// It is started once for a suite and stopped by its process id at the suite's end.
final class Nginx: Sendable {
  static var isInstalled: Bool { NginxProcess.executable != nil && Authority.isAvailable }

  let folder: TemporaryDirectory
  let authority: Authority
  private let process: NginxProcess

  init() async throws {
    folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "files"),
      withIntermediateDirectories: true
    )
    authority = try await Authority(in: folder.url)
    try await authority.issue("server", for: "localhost")
    try await authority.issue("other", for: "elsewhere.invalid")
    try await authority.issue("expired", for: "localhost", isExpired: true)
    try await authority.issue("weak-key", for: "localhost", weakness: .key)
    try await authority.issue("weak-digest", for: "localhost", weakness: .digest)
    try await authority.issue("client", for: "ann")
    try Data("ann:{PLAIN}open sesame\n".utf8).write(to: folder.url.appending(path: "passwords"))

    let url = folder.url
    process = try await NginxProcess(in: url, ports: 8) { Self.configuration(in: url, ports: $0) }
  }

  func stop() {
    process.stop()
  }

  func http(_ path: String) -> URL { url("http", 0, path) }
  func https(_ path: String) -> URL { url("https", 1, path) }
  /// TLS whose certificate is for another host.
  func wrongHost(_ path: String) -> URL { url("https", 2, path) }
  /// TLS whose certificate has expired.
  func expired(_ path: String) -> URL { url("https", 3, path) }

  /// TLS that asks for a client's certificate of the test authority.
  func clients(_ path: String) -> URL { url("https", 4, path) }
  /// HTTP/2 without TLS.
  func plainHTTP2(_ path: String) -> URL { url("http", 5, path) }
  /// TLS whose certificate has a key of 1,024 bits.
  func weakKey(_ path: String) -> URL { url("https", 6, path) }
  /// TLS whose certificate is signed with SHA-1.
  func weakDigest(_ path: String) -> URL { url("https", 7, path) }
  /// The Unix sockets on which it listens.
  var unixSocket: URL { folder.url.appending(path: "nginx.socket") }
  var otherUnixSocket: URL { folder.url.appending(path: "other.socket") }
  /// A Unix socket for HTTP/2 without TLS.
  var http2Socket: URL { folder.url.appending(path: "http2.socket") }

  /// The certificate of a client whose name is `ann`.
  func identity() -> (certificate: URL, key: URL) {
    (folder.url.appending(path: "client.pem"), folder.url.appending(path: "client.key"))
  }

  /// Writes a file that nginx serves at `/name`.
  func write(_ name: String, _ data: Data, modified: Date? = nil) throws {
    let file = folder.url.appending(path: "files/\(name)")
    try data.write(to: file, options: .atomic)
    if let modified {
      try FileManager.default.setAttributes([.modificationDate: modified], ofItemAtPath: file.path)
    }
  }

  /// Returns the content of a file below its folder of files.
  func read(_ name: String) throws -> Data {
    try Data(contentsOf: folder.url.appending(path: "files/\(name)"))
  }

  private func url(_ scheme: String, _ port: Int, _ path: String) -> URL {
    var components = URLComponents()
    components.scheme = scheme
    components.host = "localhost"
    components.port = Int(process.ports[port])
    components.path = path
    return components.url ?? folder.url
  }
}

extension Nginx {
  private static func configuration(in folder: URL, ports: [UInt16]) -> String {
    """
      map $http_range $range { "" "-"; default $http_range; }
      log_format bytes "$request_method $request_uri $status $body_bytes_sent $range";
      access_log access.log;
      access_log bytes.log bytes;
      default_type application/octet-stream;
      types { text/plain txt; application/json json; image/png png; }
      sendfile on;
      etag on;
      gzip on;
      gzip_min_length 100;
      gzip_types text/plain application/json;
      root \(folder.path)/files;
      keepalive_requests 100000;
      client_max_body_size 1g;
    \(server(listen: "\(ports[0])", certificate: nil))
    \(server(listen: "\(ports[1]) ssl http2", certificate: "server"))
    \(server(listen: "\(ports[2]) ssl http2", certificate: "other"))
    \(server(listen: "\(ports[3]) ssl http2", certificate: "expired"))
    \(server(listen: "\(ports[4]) ssl", certificate: "server", asksClients: true))
    \(plain(listen: "127.0.0.1:\(ports[5]) http2", name: "HTTP/2"))
    \(server(listen: "\(ports[6]) ssl http2", certificate: "weak-key", isWeak: true))
    \(server(listen: "\(ports[7]) ssl http2", certificate: "weak-digest", isWeak: true))
    \(plain(listen: "unix:\(folder.path)/nginx.socket", name: "socket"))
    \(plain(listen: "unix:\(folder.path)/other.socket", name: "other socket"))
    \(plain(listen: "unix:\(folder.path)/http2.socket http2", name: "HTTP/2 socket"))
    """
  }

  /// A server without TLS, which tells its name and takes uploads.
  private static func plain(listen: String, name: String) -> String {
    """
      server {
        listen \(listen);
        location / { }
        location = /which { default_type text/plain; return 200 "\(name)"; }
        location = /host { default_type text/plain; return 200 "$host"; }
        location = /line { default_type text/plain; return 200 "$request"; }
        location /uploads/ { dav_methods PUT; create_full_put_path on; }
        \(proxied)
      }
    """
  }

  /// A proxy for WebSockets.
  private static let proxied = """
    location ~ ^/proxied/(?<port>[0-9]+)(?<rest>/.*)$ {
      proxy_pass http://127.0.0.1:$port$rest;
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
    }
    """

  private static func server(
    listen: String,
    certificate: String?,
    asksClients: Bool = false,
    isWeak: Bool = false
  ) -> String {
    let tls = certificate.map {
      "ssl_certificate \($0).pem; ssl_certificate_key \($0).key; ssl_protocols TLSv1.2 TLSv1.3;"
        + (isWeak ? "ssl_ciphers DEFAULT:@SECLEVEL=0;" : "")
    }
    let clients = asksClients ? "ssl_verify_client on; ssl_client_certificate ca.pem;" : ""
    return """
        server {
          listen 127.0.0.1:\(listen);
          \(tls ?? "")
          \(clients)
          location / { }
          location /minute/ {
            rewrite ^/minute/(.*)$ /$1 break;
            add_header Cache-Control "max-age=3600";
          }
          location /hour/ {
            rewrite ^/hour/(.*)$ /$1 break;
            add_header Cache-Control "max-age=3600";
          }
          location /slow/ {
            rewrite ^/slow/(.*)$ /$1 break;
            add_header Cache-Control "max-age=3600";
            limit_rate 6m;
          }
          location /streamed/ {
            rewrite ^/streamed/(.*)$ /$1 break;
            add_header Cache-Control "max-age=3600";
            ssi on;
            ssi_types *;
          }
          \(proxied)
          location = /which { default_type text/plain; return 200 "port"; }
          location = /moved { return 301 /small.txt; }
          location = /broken { return 503; }
          location /api/ {
            error_page 404 /errors/missing.json;
            error_page 403 /errors/forbidden.json;
          }
          location /api/forbidden/ {
            error_page 403 /errors/forbidden.json;
            deny all;
          }
          location /errors/ { internal; }
          location /old/ { rewrite ^/old/(.*)$ /api/$1 permanent; }
          location /private/ { auth_basic "files"; auth_basic_user_file passwords; }
          location = /away { return 302 http://127.0.0.1:$server_port/who; }
          location = /who { default_type text/plain; return 200 "[$http_authorization]"; }
          location = /certificate { default_type text/plain; return 200 "$ssl_client_s_dn"; }
        }
      """
  }
}
