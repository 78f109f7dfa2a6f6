import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.enabled(if: Nginx.isInstalled, "nginx and openssl are not installed"), .besideNginx)
struct NginxTests {
  let nginx: Nginx
  let transport: CurlTransport
  let stores: TemporaryDirectory

  init() async throws {
    nginx = try #require(Nginx.current)
    let authority = nginx.authority.certificate
    transport = CurlTransport { $0.trust = .file(authority) }
    stores = try TemporaryDirectory()
  }

  private func client(_ policy: ResourcePolicy = ResourcePolicy()) -> Client {
    Client {
      $0.transport = transport
      $0.policy = policy
      $0.disk = DiskStore(directory: stores.url)
    }
  }

  // MARK: - TLS

  @Test func `speaks HTTP/2 over TLS with a trusted authority`() async throws {
    try nginx.write("small.txt", Data("hello".utf8))

    let resource = try await client().resource(at: nginx.https("/small.txt")).value

    #expect(try resource.data() == Data("hello".utf8))
    #expect(resource.metrics?.networkProtocol == "h2")
    #expect(resource.metrics?.tls != nil)
  }

  @Test func `many requests share one HTTP/2 connection`() async throws {
    try nginx.write("small.txt", Data("hello".utf8))
    let reused = try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<20 {
        group.addTask {
          var events = transport.send(Request(.get, nginx.https("/small.txt"))).makeAsyncIterator()
          while let event = try await events.next() {
            if case .finished(let metrics) = event { return metrics.reusedConnection }
          }
          return false
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(reused.filter { !$0 }.count == 1)
  }

  @Test func `refuses a certificate of an unknown authority`() async {
    try? nginx.write("small.txt", Data("hello".utf8))

    let error = await #expect(throws: FreshetError.self) {
      try await Client().send(Request(.get, nginx.https("/small.txt"))).value
    }

    #expect(error?.kind == "insecure")
  }

  @Test func `refuses a certificate for another host`() async {
    let error = await #expect(throws: FreshetError.self) {
      try await client().send(Request(.get, nginx.wrongHost("/"))).value
    }

    #expect(error?.kind == "insecure")
  }

  @Test func `refuses a certificate that has expired`() async {
    let error = await #expect(throws: FreshetError.self) {
      try await client().send(Request(.get, nginx.expired("/"))).value
    }

    #expect(error?.kind == "insecure")
  }

  // MARK: - Bodies

  @Test func `decodes gzip and never passes the whole`() async throws {
    let text = Data(String(repeating: "a freshet is a sudden stream. ", count: 10_000).utf8)
    try nginx.write("long.txt", text)
    var progress: [TransferProgress] = []
    var resource: Resource?

    for try await event in client().resource(at: nginx.https("/long.txt")) {
      switch event {
      case .progress(let step): progress.append(step)
      case .value(let value): resource = value
      }
    }

    #expect(try resource?.data() == text)
    #expect(resource?.headers[.contentEncoding] == "gzip")
    #expect(progress.allSatisfy { $0.completed <= $0.total ?? .max })
    #expect(progress.last?.completed == Int64(text.count))
  }

  @Test func `asks for a part of a file`() async throws {
    try nginx.write("digits.bin", Data("0123456789".utf8))
    var request = Request(.get, nginx.http("/digits.bin"))
    request.headers[.range] = "bytes=2-5"

    let response = try await client().send(request).value

    #expect(response.status == .partialContent)
    #expect(response.value == Data("2345".utf8))
    #expect(response.headers[.contentRange] == "bytes 2-5/10")
  }

  // MARK: - Validation

  @Test(arguments: [Revalidation.conditional, .head])
  func `a real file is validated, and downloaded again once it has changed`(
    revalidation: Revalidation
  ) async throws {
    let policy = ResourcePolicy {
      $0.expiry = .always
      $0.revalidation = revalidation
    }
    let url = nginx.http("/\(revalidation).bin")
    let client = client(policy)
    try nginx.write(
      "\(revalidation).bin",
      Data("one".utf8),
      modified: Date(timeIntervalSince1970: 1e9)
    )

    let first = try await client.resource(at: url).value
    let second = try await client.resource(at: url).value
    try nginx.write(
      "\(revalidation).bin",
      Data("two".utf8),
      modified: Date(timeIntervalSince1970: 1.1e9)
    )
    let third = try await client.resource(at: url).value

    #expect(first.freshness == .fresh && first.source == .network)
    #expect(second.freshness == .revalidated && second.source == .memory)
    #expect(third.freshness == .fresh && third.source == .network)
    #expect(try third.data() == Data("two".utf8))
  }

  @Test func `a fresh response is not requested again`() async throws {
    try nginx.write("kept.txt", Data("hello".utf8))
    let url = nginx.http("/minute/kept.txt")
    _ = try await client().resource(at: url).value
    try nginx.write("kept.txt", Data("other".utf8))

    let again = try await client().resource(at: url).value

    #expect(again.source == .disk && again.freshness == .fresh)
    #expect(try again.data() == Data("hello".utf8))
  }

  @Test func `follows a redirect and reports it`() async throws {
    try nginx.write("small.txt", Data("hello".utf8))

    let resource = try await client().resource(at: nginx.http("/moved")).value

    #expect(try resource.data() == Data("hello".utf8))
    #expect(resource.response.head.url == nginx.http("/small.txt"))
  }

  @Test func `a missing file is an error with its status and body`() async {
    let error = await #expect(throws: FreshetError.self) {
      try await client().resource(at: nginx.http("/nothing")).value
    }

    guard case .status(let head, let body)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(head.status == .notFound)
    #expect(!body.isEmpty)
  }

  @Test func `a 300 MiB file goes to a file with little memory`() async throws {
    let size = 300 << 20
    try nginx.write("large.bin", Data())
    let source = try FileHandle(forWritingTo: nginx.folder.url.appending(path: "files/large.bin"))
    try source.truncate(atOffset: UInt64(size))
    try source.seek(toOffset: UInt64(size - 4))
    try source.write(contentsOf: Data("last".utf8))
    try source.close()
    let file = stores.file("body")

    let probe = try ProbeProcess(
      "file",
      nginx.http("/large.bin").absoluteString,
      stores.file("store").path,
      file.path
    )

    #expect(try #require(try await probe.number("peak")) < LargeBodyTests.limitKiB)
    #expect(try await probe.end() == 0)
    let body = try FileHandle(forReadingFrom: file)
    #expect(try body.seekToEnd() == UInt64(size))
    try body.seek(toOffset: UInt64(size - 4))
    #expect(try body.readToEnd() == Data("last".utf8))
  }
}
