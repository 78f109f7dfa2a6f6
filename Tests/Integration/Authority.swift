import Foundation
import TestSupport

/// A certificate authority for one test, made with the `openssl` command.
struct Authority: Sendable {
  static let openssl = Program.path("openssl")

  static var isAvailable: Bool { openssl != nil }

  private let folder: URL

  /// The authority's own certificate, which clients must trust.
  var certificate: URL { folder.appending(path: "ca.pem") }

  init(in folder: URL) async throws {
    self.folder = folder
    try await run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Freshet test authority",
    ])
    try Data().write(to: folder.appending(path: "index.txt"))
    try Data("01\n".utf8).write(to: folder.appending(path: "serial"))
    let configuration = """
      [ca]
      default_ca = tests
      [tests]
      database = index.txt
      serial = serial
      new_certs_dir = .
      certificate = ca.pem
      private_key = ca.key
      default_md = sha256
      policy = any
      copy_extensions = copy
      unique_subject = no
      [any]
      commonName = supplied
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "ca.conf"))
  }

  /// What makes a certificate weak.
  enum Weakness { case key, digest }

  /// Issues `name.pem` and `name.key` for a host.
  func issue(
    _ name: String,
    for host: String,
    isExpired: Bool = false,
    weakness: Weakness? = nil
  ) async throws {
    let key =
      weakness == .key
      ? ["rsa:1024"] : ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    try await run(
      ["req", "-newkey"] + key + [
        "-nodes", "-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(host)",
        "-addext", "subjectAltName=DNS:\(host)",
      ]
    )
    let validity =
      isExpired
      ? ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"] : ["-days", "2"]
    try await run(
      [
        "ca", "-batch", "-notext", "-config", "ca.conf", "-in", "\(name).csr",
        "-out", "\(name).pem", "-md", weakness == .digest ? "sha1" : "sha256",
      ] + validity
    )
  }

  private func run(_ arguments: [String]) async throws {
    let run = try await ProgramRun(Self.openssl ?? "openssl", arguments, in: folder)
    guard run.status == 0 else {
      throw AuthorityError(command: arguments.joined(separator: " "))
    }
  }
}

/// The `openssl` command failed.
struct AuthorityError: Error {
  let command: String
}
