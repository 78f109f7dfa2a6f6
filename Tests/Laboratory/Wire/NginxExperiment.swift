#if !canImport(Darwin)
import Foundation
import Freshet
import TestSupport

/// The faults that a real server can be made to have.
struct NginxExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let certificate = try await makeCertificate()
    guard
      let nginx = try await Nginx(
        in: bench,
        ports: 5,
        configuration: { Self.configuration($0, $1) }
      )
    else { throw LabError("nginx is not installed") }
    defer { nginx.stop() }
    let trials = FaultTrials(
      bench: bench,
      notebook: notebook,
      sound: nginx.url("/sound"),
      mending: Self.mending(nginx)
    ) {
      CurlTransport {
        $0.proxy = .none
        $0.trust = .file(certificate)
      }
    }
    try await trials.warmUp()
    await faults(nginx, trials)
    await killed(nginx, trials)
    await briefConnections(nginx, trials)
  }

  private func faults(_ nginx: Nginx, _ trials: FaultTrials) async {
    for port in [0, 1] {
      let words = port == 0 ? "nginx" : "nginx over HTTP/2"
      let (lost, bad) = (Expectation.error("connection"), Expectation.error("invalidResponse"))
      await trials.run("\(words) that closes", at: nginx.url("/closes", port: port), lost)
      let stall = nginx.url("/stalls", port: port)
      await trials.run("\(words) that stalls", at: stall, .timedOut(.idle))
      await trials.run("\(words), gzip that is none", at: nginx.url("/gzip", port: port), bad)
      await trials.run("\(words), br that is none", at: nginx.url("/br", port: port), bad)
      await trials.run(
        "\(words) that takes no 4 MiB",
        at: nginx.url("/small", port: port),
        Expectation(kinds: ["status"], statuses: [413]),
        operations: [.send]
      ) { request in
        request.method = .post
        request.body = .bytes(Data(count: 4 << 20))
      }
    }
    await trials.run(
      "nginx with TLS 1.1 alone",
      at: nginx.url("/sound", port: 4),
      .error("insecure"),
      hasNext: false
    )
  }

  /// Its worker ends while a body is on its way.
  private func killed(_ nginx: Nginx, _ trials: FaultTrials) async {
    for port in [0, 1] {
      let killer = Task {
        // As many as the trials that meet it, in the short form and in the long one.
        while !Task.isCancelled {
          try? await Task.sleep(for: .milliseconds(400))
          try? nginx.killWorker()
        }
      }
      var trials = trials
      trials.mending = nil
      await trials.run(
        "nginx \(port), whose worker is killed in the body",
        at: nginx.url("/slow", port: port),
        .error("connection"),
        hasNext: false
      )
      killer.cancel()
      await killer.value
    }
  }

  /// A connection for each request, and connections that are closed while they are kept.
  private func briefConnections(_ nginx: Nginx, _ trials: FaultTrials) async {
    for (name, port, rounds) in [("one request a connection", 2, 3), ("kept for 50 ms", 3, 300)] {
      let subject = Subject(trials.transport(), in: bench.folder("brief-\(port)"))
      let url = nginx.url("/sound", port: port)
      var problems: [String] = []
      for round in 0..<rounds {
        let endings = await withTaskGroup(of: Ending.self) { group in
          for _ in 0..<12 {
            group.addTask { await Operation.send.run(Request(.get, url), with: subject.client) }
          }
          return await group.reduce(into: []) { $0.append($1) }
        }
        for ending in endings {
          problems += Expectation.value(Wire.soundBody).problems(with: ending)
            .map { "round \(round): \(ending), \($0)" }
        }
        // About as long as the server keeps a connection: some requests meet its goodbye.
        if port == 3 { try? await Task.sleep(for: .microseconds(46_000 + 10 * round)) }
      }
      await subject.disk.close()
      notebook.note("nginx over HTTP/2, \(name)", count: 12 * rounds, problems: problems)
    }
  }

  // MARK: - Configuration

  /// While there is a file of that name, it has no fault.
  private static func mending(_ nginx: Nginx) -> Mending {
    let file = nginx.folder.appending(path: "mended")
    return Mending(
      prepare: {
        try? FileManager.default.removeItem(at: file)
        return $0
      },
      mend: { _ in try Data().write(to: file) }
    )
  }

  private func makeCertificate() async throws -> URL {
    let folder = bench.folder("nginx")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard let openssl = Program.path("openssl") else { throw LabError("openssl is not installed") }
    let process = try ChildProcess(
      openssl,
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", "server.key", "-out", "server.pem", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost",
      ],
      in: folder
    )
    guard await process.end().status == 0 else { throw LabError("no certificate was made") }
    return folder.appending(path: "server.pem")
  }

  private static func configuration(_ folder: URL, _ ports: [UInt16]) -> String {
    let tls = "ssl_certificate server.pem; ssl_certificate_key server.key;"
    let mended = "if (-f \(folder.path)/mended) { rewrite ^ /sound last; }"
    let locations = """
        location = /sound { }
        location = /closes { \(mended) return 444; }
        location = /stalls { \(mended) limit_rate_after 9000; limit_rate 1000; try_files /body =404; }
        location = /slow { limit_rate 2k; try_files /body =404; }
        location = /gzip { \(mended) add_header Content-Encoding gzip; try_files /body =404; }
        location = /br { \(mended) add_header Content-Encoding br; try_files /body =404; }
        if (-f \(folder.path)/mended) { rewrite ^/small$ /large last; }
        location = /small { client_max_body_size 1m; return 200; }
        location = /large { client_max_body_size 8m; return 200 "all is well"; }
      """
    return """
        access_log off;
        root \(folder.path)/files;
        server { listen 127.0.0.1:\(ports[0]); \(locations) }
        server { listen 127.0.0.1:\(ports[1]) ssl http2; \(tls) \(locations) }
        server { listen 127.0.0.1:\(ports[2]) ssl http2; \(tls) keepalive_requests 1; }
        server { listen 127.0.0.1:\(ports[3]) ssl http2; \(tls) keepalive_timeout 50ms; }
        server {
          listen 127.0.0.1:\(ports[4]) ssl;
          \(tls)
          ssl_protocols TLSv1.1;
          ssl_ciphers ALL:@SECLEVEL=0;
        }
      """
  }
}
#endif
