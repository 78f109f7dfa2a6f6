import Foundation

/// A certificate authority for one test, made with the `openssl` command.
struct Authority: Sendable {
  static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  static var isAvailable: Bool { openssl != nil }

  private let folder: URL

  /// The authority's own certificate, which clients must trust.
  var certificate: URL { folder.appending(path: "ca.pem") }

  init(in folder: URL) throws {
    self.folder = folder
    try run([
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

  /// Issues `name.pem` and `name.key` for a host.
  func issue(_ name: String, for host: String, isExpired: Bool = false) throws {
    try run([
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(host)",
      "-addext", "subjectAltName=DNS:\(host)",
    ])
    let validity =
      isExpired
      ? ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"] : ["-days", "2"]
    try run(
      [
        "ca", "-batch", "-notext", "-config", "ca.conf", "-in", "\(name).csr",
        "-out", "\(name).pem",
      ] + validity
    )
  }

  private func run(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: Self.openssl ?? "openssl")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw AuthorityError(command: arguments.joined(separator: " "))
    }
  }
}

/// The `openssl` command failed.
struct AuthorityError: Error {
  let command: String
}
