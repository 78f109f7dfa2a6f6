import Foundation
import FreshetTesting
import Testing

@testable import Freshet

/// Resumable uploads to a real server, which breaks them off.
@Suite(.timeLimit(.minutes(10))) struct ResumableUploadTests {
  typealias Resumption = UploadOptions.Resumption

  static let both: [Resumption] = [.ietf, .tus]

  let folder: TemporaryDirectory
  let service: UploadService
  let server: LoopbackServer
  let client = Client { $0.memory = nil }
  let bytes = GeneratedBytes(length: 1 << 20, seed: 3)

  init() throws {
    folder = try TemporaryDirectory()
    service = UploadService()
    server = try LoopbackServer(["/files": .uploads(service), "/files/*": .uploads(service)])
  }

  private var url: URL { server.url("/files") }
  private var journal: UploadJournal { UploadJournal(at: folder.file("journal")) }

  private var content: Data { bytes.bytes(in: 0..<bytes.length) }

  private func file(_ content: Data? = nil) throws -> URL {
    let file = folder.file("film.mp4")
    try (content ?? self.content).write(to: file)
    return file
  }

  /// A `PUT`, which may be repeated as a whole.
  private func put(_ file: URL, type: MediaType? = nil) -> Request {
    Request(.put, url, body: .file(file, contentType: type))
  }

  private func options(
    _ resumption: Resumption,
    retries: Int = 5,
    _ change: (inout UploadOptions) -> Void = { _ in }
  ) -> (inout UploadOptions) -> Void {
    let options = UploadOptions {
      $0.resumption = resumption
      $0.creation = .optimistic
      $0.retry = RetryPolicy(retries: retries, after: .zero)
      change(&$0)
    }
    return { $0 = options }
  }

  /// The methods of the requests that the server has answered.
  private var methods: [String] { server.requests.map(\.method.rawValue) }

  // MARK: - Without faults

  @Test func `an upload without faults is one request, with its length and its digest`()
    async throws
  {
    let file = try file()
    let response = try await client.upload(put(file, type: .json), options: options(.ietf)).value

    #expect(response.status == 201)
    #expect(service.uploads.map(\.bytes) == [content])
    #expect(methods == ["PUT"])
    let fields = server.requests[0].headers
    #expect(fields["Upload-Complete"] == "?1")
    #expect(fields["Upload-Length"] == "1048576")
    #expect(fields["Upload-Draft-Interop-Version"] == "8")
    #expect(fields[.contentType] == "application/json")
    let digest = SHA256Hasher.digest(of: content).bytes.base64EncodedString()
    #expect(fields["Repr-Digest"] == "sha-256=:\(digest):")
  }

  @Test func `an upload by tus creates, appends, and sends its metadata`() async throws {
    let file = try file()
    _ =
      try await client.upload(
        file,
        to: url,
        contentType: MediaType("video", "mp4"),
        options: options(.tus)
      )
      .value

    #expect(service.uploads.map(\.bytes) == [content])
    #expect(service.uploads.first?.isComplete == true)
    #expect(methods == ["POST", "PATCH"])
    #expect(server.requests.allSatisfy { $0.headers["Tus-Resumable"] == "1.0.0" })
    let creation = server.requests[0].headers
    #expect(creation["Upload-Metadata"] == "filename ZmlsbS5tcDQ=,filetype dmlkZW8vbXA0")
    #expect(creation[.contentLength] == "0")
    #expect(server.requests[1].headers[.contentType] == "application/offset+octet-stream")
  }

  @Test func `an upload by tus has the metadata of its request unless there are others`()
    async throws
  {
    var request = Request(.post, url)
    request.headers["Upload-Metadata"] = "album c3VtbWVy"
    request.body = .bytes(content)

    _ = try await client.upload(request, options: options(.tus)).value

    #expect(server.requests[0].headers["Upload-Metadata"] == "album c3VtbWVy")
  }

  @Test(arguments: both)
  func `an empty file and bytes in memory are uploaded as well`(
    resumption: Resumption
  )
    async throws
  {
    let empty = try file(Data())
    _ = try await client.upload(empty, to: url, options: options(resumption)).value
    let text = Request(.post, url, body: .text("water"))
    _ = try await client.upload(text, options: options(resumption)).value

    #expect(service.uploads.map(\.bytes) == [Data(), Data("water".utf8)])
    #expect(service.uploads.map(\.isComplete) == [true, true])
  }

  @Test func `a server without resumable uploads gets an ordinary request`() async throws {
    let service = UploadService { $0.resumes = false }
    server.route("/files", .uploads(service))
    for creation in [UploadOptions.Creation.optimistic, .asking] {
      let options = options(.ietf) { $0.creation = creation }
      _ = try await client.upload(put(try file()), options: options).value
    }

    #expect(service.uploads.map(\.bytes) == [content, content])
    #expect(methods == ["PUT", "OPTIONS", "PUT"])
  }

  @Test(arguments: [UploadOptions.Creation.careful, .asking])
  func `a careful upload creates first, and sends then`(
    creation: UploadOptions.Creation
  )
    async throws
  {
    let options = options(.ietf) { $0.creation = creation }
    _ = try await client.upload(put(try file()), options: options).value

    #expect(service.uploads.map(\.bytes) == [content])
    #expect(methods.filter { $0 != "OPTIONS" } == ["PUT", "PATCH"])
    #expect(server.requests.last?.headers[.contentType] == "application/partial-upload")
  }

  @Test(arguments: both)
  func `no request is larger than the server or the options allow`(
    resumption: Resumption
  )
    async throws
  {
    let service = UploadService { $0.maximumAppend = 300_000 }
    server.route("/files", .uploads(service))
    server.route("/files/*", .uploads(service))
    let options = options(resumption) {
      $0.creation = .asking
      if resumption == .tus { $0.maximumAppend = 300_000 }
    }
    _ = try await client.upload(put(try file()), options: options).value

    #expect(service.uploads.last?.bytes == content)
    #expect(server.requests.map(\.bodyLength).max() == 300_000)
    #expect(methods.filter { $0 == "PATCH" }.count == 4)
  }

  @Test func `an upload that is too large for one request is sent in several`() async throws {
    let service = UploadService { $0.maximumAppend = 600_000 }
    server.route("/files", .uploads(service))
    server.route("/files/*", .uploads(service))
    _ = try await client.upload(put(try file()), options: options(.ietf)).value

    #expect(service.uploads.last?.bytes == content)
    #expect(methods.filter { $0 == "PATCH" }.count == 2)
  }

  @Test func `an upload that is larger than the server takes is refused`() async throws {
    let service = UploadService { $0.maximumSize = 1000 }
    server.route("/files", .uploads(service))
    let upload = client.upload(
      put(try file()),
      options: options(.ietf) { $0.creation = .asking }
    )

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error?.kind == "invalidRequest")
    #expect(methods == ["OPTIONS"])
  }

  // MARK: - Breaks

  @Test(arguments: both)
  func `an upload that is cut is resumed where the server is`(
    resumption: Resumption
  )
    async throws
  {
    service.inject([.cut(after: 400_000), .cut(after: 100_000)])
    _ = try await client.upload(put(try file()), options: options(resumption)).value

    let upload = try #require(service.uploads.last)
    #expect(upload.bytes == content)
    #expect(upload.isComplete)
    #expect(service.pendingFaults.isEmpty)
    let offsets = server.requests.filter { $0.method == .patch }
      .map { $0.headers["Upload-Offset"] }
    #expect(offsets == ["500000"])
  }

  /// 4 MiB, or 200 MiB if `FRESHET_UPLOAD_BYTES` says so.
  static let length =
    ProcessInfo.processInfo.environment["FRESHET_UPLOAD_BYTES"].flatMap { Int64($0) } ?? 4 << 20

  @Test(arguments: both, [UInt64(1), 2])
  func `an upload that is cut at twenty random places ends byte for byte`(
    resumption: Resumption,
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let bytes = GeneratedBytes(length: Self.length, seed: seed)
    let file = folder.file("film.mp4")
    let whole = bytes.bytes(in: 0..<bytes.length)
    try whole.write(to: file)
    let faults = (0..<20)
      .map { number in
        let place = Int64.random(in: 0..<Self.length / 21, using: &random)
        return number % 2 == 0 ? UploadService.Fault.cut(after: place) : .reset(after: place)
      }
    service.inject(faults)

    let upload = client.upload(put(file), options: options(resumption, retries: 20))
    var largest: Int64 = 0
    for try await event in upload {
      if let progress = event.progress { largest = max(largest, progress.completed) }
    }

    #expect(service.pendingFaults.isEmpty)
    #expect(service.uploads.last?.bytes == whole)
    #expect(service.uploads.last?.isComplete == true)
    #expect(largest == Self.length)
  }

  @Test(arguments: both)
  func `a response that is lost is found by asking, and nothing is sent twice`(
    resumption: Resumption
  ) async throws {
    service.inject([.loseResponse])
    let response = try await client.upload(put(try file()), options: options(resumption)).value

    #expect(response.status.isSuccess)
    #expect(response.value.isEmpty)
    #expect(service.uploads.last?.bytes == content)
    #expect(methods.last == "HEAD")
    #expect(methods.filter { $0 == "PATCH" }.count == (resumption == .tus ? 1 : 0))
  }

  @Test(arguments: both)
  func `a server that fails for a while, and one that forgets, gets everything`(
    resumption: Resumption
  ) async throws {
    service.inject([.status(503), .cut(after: 100), .status(500), .cut(after: 20_000), .forget])
    _ = try await client.upload(put(try file()), options: options(resumption)).value

    #expect(service.uploads.last?.bytes == content)
    #expect(service.uploads.last?.isComplete == true)
    #expect(service.pendingFaults.isEmpty)
  }

  @Test func `a POST whose address is not known is not repeated`() async throws {
    service.inject([.status(503)])
    let upload = client.upload(try file(), to: url, options: options(.ietf))

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error?.head?.status == 503)
    #expect(methods == ["POST"])
  }

  @Test func `an upload without progress ends with the last failure`() async throws {
    service.inject(Array(repeating: .cut(after: 0), count: 10))
    let upload = client.upload(put(try file()), options: options(.ietf, retries: 2))

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error == .connection(.lost, url: server.url("/files/upload-1").absoluteString))
    #expect(service.pendingFaults.count == 7)
  }

  @Test func `the pauses are those of the policy, and begin again after progress`() async throws {
    let clock = VirtualClock()
    let client = Client {
      $0.memory = nil
      $0.clock = clock
    }
    service.inject([.cut(after: 1000), .cut(after: 0), .cut(after: 1000), .cut(after: 0)])
    let upload = client.upload(put(try file())) {
      $0.creation = .optimistic
      $0.retry = RetryPolicy {
        $0.jitter = .none
        $0.baseDelay = .seconds(1)
      }
    }
    let running = upload.start()
    var pauses: [Duration] = []
    while pauses.count < 4 {
      #expect(await clock.sleepers(count: 1))
      pauses.append(clock.advance() ?? .zero)
    }
    let response = try await running.value

    #expect(pauses == [.seconds(1), .seconds(1), .seconds(2), .seconds(1)])
    #expect(response.explanation.description.contains("attempt 2"))
    #expect(service.uploads.last?.bytes == content)
  }

  // MARK: - Restarts

  @Test(arguments: both)
  func `another process resumes what the journal records`(resumption: Resumption) async throws {
    let file = try file()
    let faults: [UploadService.Fault] = [.cut(after: 700_000), .status(403)]
    service.inject(faults)
    let careful = options(resumption, retries: 1) {
      $0.journal = journal
    }
    await #expect(throws: FreshetError.self) {
      try await client.upload(put(file), options: careful).value
    }
    var status = stat()
    #expect(stat(journal.file.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)

    let later = Client { $0.memory = nil }
    var inherited: [Int64] = []
    let options = options(resumption) { $0.journal = journal }
    for try await event in later.upload(put(file), options: options) {
      if let progress = event.progress { inherited.append(progress.inherited) }
    }

    #expect(service.uploads.map(\.bytes) == [content])
    #expect(!inherited.isEmpty && inherited.allSatisfy { $0 == 700_000 })
    #expect(stat(journal.file.path, &status) != 0)
  }

  @Test func `an upload that the server has forgotten begins as a new one does`() async throws {
    let file = try file()
    service.inject([.cut(after: 700_000), .status(403)])
    let first = client.upload(file, to: url, options: options(.ietf) { $0.journal = journal })
    await #expect(throws: FreshetError.self) { try await first.value }
    let before = server.requestCount

    service.inject([.forget])
    let options = options(.ietf) {
      $0.journal = journal
      $0.creation = .asking
      $0.maximumAppend = 200_000
    }
    _ = try await client.upload(file, to: url, options: options).value

    #expect(service.uploads.last?.bytes == content)
    #expect(methods.dropFirst(before).prefix(5) == ["HEAD", "PATCH", "HEAD", "OPTIONS", "POST"])
    #expect(server.requests.dropFirst(before).allSatisfy { $0.body.count <= 200_000 })
  }

  @Test func `a POST that the server has forgotten is sent again by a later run`() async throws {
    let file = try file()
    service.inject([.cut(after: 700_000), .status(403)])
    let options = options(.ietf) { $0.journal = journal }
    let first = client.upload(file, to: url, options: options)
    await #expect(throws: FreshetError.self) { try await first.value }

    server.route("/files/upload-1", .status(404))
    let response = try await client.upload(file, to: url, options: options).value

    #expect(response.status == 201)
    #expect(service.uploads.last?.bytes == content && service.uploads.count == 2)
    #expect(methods.suffix(2) == ["HEAD", "POST"])
  }

  @Test func `by tus, an upload of another process to which the server answers 403 begins anew`()
    async throws
  {
    let file = try file()
    service.inject([.cut(after: 700_000), .status(400)])
    let options = options(.tus) { $0.journal = journal }
    let first = client.upload(put(file), options: options)
    await #expect(throws: FreshetError.self) { try await first.value }
    let before = server.requestCount

    server.route("/files/upload-1", .status(403))
    _ = try await client.upload(put(file), options: options).value

    #expect(service.uploads.last?.bytes == content)
    #expect(methods.dropFirst(before).prefix(2) == ["HEAD", "POST"])
    #expect(service.uploads.count == 2)
  }

  @Test func `by tus, a 403 that is about the credentials leaves the journal`() async throws {
    let file = try file()
    service.inject([.cut(after: 700_000), .status(400)])
    let options = options(.tus) { $0.journal = journal }
    let first = client.upload(put(file), options: options)
    await #expect(throws: FreshetError.self) { try await first.value }

    for path in ["/files", "/files/upload-1"] { server.route(path, .status(403)) }
    let refused = client.upload(put(file), options: options)
    let error = await #expect(throws: FreshetError.self) { try await refused.value }
    #expect(error?.head?.status == 403)

    for path in ["/files", "/files/upload-1"] { server.route(path, .uploads(service)) }
    _ = try await client.upload(put(file), options: options).value
    #expect(service.uploads.map(\.bytes) == [content])
  }

  @Test func `an upload that was cancelled before it is resumed is deleted as well`() async throws {
    let file = try file()
    service.inject([.cut(after: 700_000), .status(403)])
    let options = options(.ietf) {
      $0.journal = journal
      $0.sendsDigest = false
    }
    await #expect(throws: FreshetError.self) {
      try await client.upload(put(file), options: options).value
    }

    // The cancellation is seen while the digest is computed.

    let request = put(file)
    let error = await Task { [client, journal] () -> (any Error)? in
      withUnsafeCurrentTask { $0?.cancel() }
      let upload = client.upload(request) {
        $0.creation = .optimistic
        $0.journal = journal
        $0.deletesWhenCancelled = true
      }
      do {
        _ = try await upload.value
        return nil
      } catch {
        return error
      }
    }
    .value

    #expect(error as? FreshetError == .cancelled)
    while methods.last != "DELETE" { await Task.yield() }
    #expect(service.uploads.last?.isRemoved == true)
  }

  @Test func `no pause is begun that the total time does not allow`() async throws {
    let clock = VirtualClock()
    let client = Client {
      $0.memory = nil
      $0.clock = clock
    }
    service.inject([.cut(after: 1000)])
    var request = put(try file())
    request.timeouts.total = .seconds(200)
    let upload = client.upload(request) {
      $0.creation = .optimistic
      $0.retry = RetryPolicy(retries: 5, after: .seconds(200))
    }

    let error = await #expect(throws: FreshetError.self) { try await upload.value }

    #expect(error?.kind == "connection")
    #expect(clock.sleeperCount == 0)
  }

  @Test(arguments: [false, true])
  func `a pause is a running call, which its activity and a shutdown end`(
    isShutDown: Bool
  ) async throws {
    let clock = VirtualClock()
    let client = Client {
      $0.memory = nil
      $0.clock = clock
    }
    service.inject([.cut(after: 1000)])
    let upload = client.upload(put(try file())) {
      $0.creation = .optimistic
      $0.retry = RetryPolicy(retries: 1, after: .seconds(60))
    }
    let running = upload.start()
    #expect(await clock.sleepers(count: 1))
    try #require(client.activity.count == 1)

    if isShutDown { await client.shutdown(grace: .zero) } else { client.activity.cancelAll() }

    let error = await #expect(throws: FreshetError.self) { try await running.value }
    #expect(error == .cancelled)
    #expect(client.activity.isIdle)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a file that has changed since the upload began is refused`() async throws {
    let file = try await interrupted()
    try (content + Data("more".utf8)).write(to: file)
    let upload = client.upload(put(file), options: options(.ietf) { $0.journal = journal })

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error == changed(file))
    #expect(service.uploads.first?.bytes.count == 1000)

    try journal.discard()
    _ = try await upload.value
    #expect(service.uploads.last?.bytes == content + Data("more".utf8))
  }

  @Test func `a file with the same bytes under another number is resumed`() async throws {
    let file = try await interrupted()
    try FileManager.default.removeItem(at: file)
    try content.write(to: file, options: .atomic)
    _ = try await client.upload(put(file), options: options(.ietf) { $0.journal = journal }).value

    #expect(service.uploads.map(\.bytes) == [content])
  }

  static let problems = [
    ("http://127.0.0.1:1/files/1", "leads from https to http"),
    ("ftp://127.0.0.1/1", "is not requested: its URL is not an absolute http or https URL"),
  ]

  @Test(arguments: problems)
  func `a journal with a location that no server could have named is refused`(
    location: String,
    problem: String
  ) async throws {
    let file = try file()
    var request = put(file)
    request.url = try #require(URL(string: "https://127.0.0.1:1/files"))
    let entry = UploadJournal.Entry(
      target: "PUT \(request.url.absoluteString)",
      resumption: .ietf,
      location: try #require(URL(string: location)),
      identity: try UploadSource(request).identity,
      length: bytes.length
    )
    try await journal.write(entry)
    let refusal = FreshetError.file("its location \(problem)", path: journal.file.path)

    let upload = await #expect(throws: FreshetError.self) {
      let options = options(.ietf, retries: 0) { $0.journal = journal }
      return try await client.upload(request, options: options).value
    }
    let cancellation = await #expect(throws: FreshetError.self) {
      try await client.cancelUpload(in: journal)
    }

    #expect(upload == refusal)
    #expect(cancellation == refusal)
    #expect(try journal.read() == entry)
  }

  @Test(.enabled(if: geteuid() == 0)) func `the journal of another user is refused`() async throws {
    let file = try await interrupted()
    let count = server.requestCount
    #expect(chown(journal.file.path, 65_534, 65_534) == 0)
    let refusal = FreshetError.file(
      "it was not possible to use it: it belongs to another user",
      path: journal.file.path
    )

    let upload = await #expect(throws: FreshetError.self) {
      let options = options(.ietf) { $0.journal = journal }
      return try await client.upload(put(file), options: options).value
    }
    let cancellation = await #expect(throws: FreshetError.self) {
      try await client.cancelUpload(in: journal)
    }

    #expect(upload == refusal)
    #expect(cancellation == refusal)
    #expect(server.requestCount == count)
  }

  @Test func `the journal of another upload is refused`() async throws {
    let file = try await interrupted()
    let other = Request(.put, server.url("/files/other"), body: .file(file))
    let upload = client.upload(other, options: options(.ietf) { $0.journal = journal })

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(
      error
        == .file(
          "it is the journal of another upload; use one file for each upload",
          path: journal.file.path
        )
    )
    try Data("something else".utf8).write(to: journal.file)
    await #expect(throws: FreshetError.self) {
      try await client.upload(put(file), options: options(.ietf) { $0.journal = journal }).value
    }
    #expect(service.uploads.count == 1)
  }

  @Test func `a changed file is refused although its time of modification was set back`()
    async throws
  {
    let time = Date(timeIntervalSince1970: 1_000_000)
    let file = try await interrupted(modified: time)
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data(repeating: 90, count: content.count))
    try handle.close()
    try modify(file, at: time)

    let upload = client.upload(put(file), options: options(.ietf) { $0.journal = journal })
    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error == changed(file))
    #expect(service.uploads.first?.bytes.count == 1000)
  }

  /// A file whose upload has been cut after 1,000 bytes, with a journal.
  private func interrupted(modified time: Date? = nil) async throws -> URL {
    let file = try file()
    if let time { try modify(file, at: time) }
    service.inject([.cut(after: 1000)])
    let upload = client.upload(
      put(file),
      options: options(.ietf, retries: 0) { $0.journal = journal }
    )
    await #expect(throws: FreshetError.self) { try await upload.value }
    return file
  }

  private func changed(_ file: URL) -> FreshetError {
    .file(
      "it changed after its upload began; remove the journal to upload it again",
      path: file.path
    )
  }

  private func modify(_ file: URL, at time: Date) throws {
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: file.path)
  }

  @Test func `a file that changes while it is sent is refused`() async throws {
    let file = try file()
    let source = try UploadSource(put(file))
    var chunks = source.chunks(0..<source.length).makeAsyncIterator()
    _ = try await chunks.next()
    let handle = try FileHandle(forWritingTo: file)
    try handle.write(contentsOf: Data("changed".utf8))
    try modify(file, at: Date(timeIntervalSince1970: 1_000_000))

    let error = await #expect(throws: FreshetError.self) { while try await chunks.next() != nil {} }
    #expect(error == .file("it changed during the upload; upload it again", path: file.path))
    try handle.truncate(atOffset: 10)
    let shorter = #expect(throws: FreshetError.self) { try source.read(0..<100) }
    #expect(
      shorter == .file("it became shorter during the upload; upload it again", path: file.path)
    )
  }

  // MARK: - Digests

  @Test(arguments: both)
  func `bytes that were damaged on the way fail the upload`(resumption: Resumption) async throws {
    service.inject([.damage])
    let upload = client.upload(put(try file()), options: options(resumption))

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error?.head?.status == 400)
  }

  @Test(arguments: both)
  func `a digest of other bytes in the response fails the upload`(
    resumption: Resumption
  )
    async throws
  {
    service.inject([.damage])
    let upload = client.upload(
      put(try file()),
      options: options(resumption) {
        $0.sendsDigest = false
        $0.journal = journal
      }
    )
    // Without a digest of its own, the service finds nothing wrong.
    #expect(try await upload.value.status.isSuccess)

    let own = SHA256Hasher.digest(of: Data("other".utf8)).bytes.base64EncodedString()
    let fields: HTTPHeaders = ["Upload-Complete": "?1", "Repr-Digest": "sha-256=:\(own):"]
    server.route("/other", .response(200, headers: fields))
    server.route("/same", .response(200, headers: fields, body: Data("other".utf8)))
    let request = { Request(.put, server.url($0), body: .text("water")) }
    let error = await #expect(throws: FreshetError.self) {
      try await client.upload(request("/other"), options: options(.ietf)).value
    }
    #expect(error?.kind == "corrupted")
    #expect(try await client.upload(request("/same"), options: options(.ietf)).value.status == 200)
  }

  // MARK: - Ends

  @Test(arguments: both, [false, true])
  func `a cancelled upload stays on the server unless it is to be deleted`(
    resumption: Resumption,
    deletes: Bool
  ) async throws {
    service.inject([.stall(after: 1000)])
    let upload = client.upload(
      put(try file()),
      options: options(resumption) {
        $0.deletesWhenCancelled = deletes
        $0.journal = journal
      }
    )
    let running = upload.start()
    // The server may have the bytes before the client has the address of the upload.
    while try service.uploads.last?.bytes.count != 1000 || journal.read() == nil {
      await Task.yield()
    }
    running.cancel()
    let error = await #expect(throws: FreshetError.self) { try await running.value }

    #expect(error == .cancelled)
    guard deletes else {
      #expect(service.uploads.last?.isRemoved == false)
      #expect(!methods.contains("DELETE"))
      try await client.cancelUpload(in: journal)
      #expect(service.uploads.last?.isRemoved == true)
      #expect(try journal.read() == nil)
      try await client.cancelUpload(in: journal)
      return
    }
    // The server notes a request a moment after it has handled it.
    while methods.last != "DELETE" { await Task.yield() }
    #expect(service.uploads.last?.isRemoved == true)
  }

  /// Cancels an upload that is to be deleted then, once its address is known.
  private func cancelUpload() async throws {
    service.inject([.stall(after: 1000)])
    let options = options(.ietf) {
      $0.deletesWhenCancelled = true
      $0.journal = journal
    }
    let running = client.upload(put(try file()), options: options).start()
    while try journal.read() == nil { await Task.yield() }
    running.cancel()
    _ = try? await running.value
  }

  @Test func `a client that shuts down waits for the end of a cancelled upload`() async throws {
    try await cancelUpload()

    await client.shutdown(grace: .seconds(600))

    #expect(service.uploads.last?.isRemoved == true)
  }

  @Test func `the end of a cancelled upload leaves the journal of the next one`() async throws {
    let gate = Gate()
    server.route("/files/upload-1", .status(204).delayed(until: gate))
    try await cancelUpload()
    await gate.waiting()
    let entry = try #require(try journal.read())
    let next = try #require(URL(string: "/files/upload-2", relativeTo: url)?.absoluteURL)
    try await journal.write(
      UploadJournal.Entry(
        target: entry.target,
        resumption: entry.resumption,
        location: next,
        identity: entry.identity,
        length: entry.length,
        digest: entry.digest,
        isRefused: nil
      )
    )

    gate.open()
    await client.shutdown(grace: .seconds(600))

    #expect(try journal.read()?.location == next)
  }

  @Test func `a server's refusal is the failure, with its body`() async throws {
    let service = UploadService { $0.answer = { _ in .status(422, body: "no film") } }
    server.route("/files", .uploads(service))
    server.route("/files/*", .uploads(service))
    for creation in [UploadOptions.Creation.optimistic, .careful] {
      let options = options(.ietf) { $0.creation = creation }
      let upload = client.upload(put(try file()), options: options)
      let error = await #expect(throws: FreshetError.self) { try await upload.value }
      guard case .status(let head, let body) = error else {
        Issue.record("another failure")
        continue
      }
      #expect(head.status == 422)
      #expect(body == Data("no film".utf8))
    }
  }

  @Test(arguments: [UploadOptions.Creation.optimistic, .careful], [422, 503] as [HTTPStatus])
  func `an upload that was refused when it was complete is no success later`(
    creation: UploadOptions.Creation,
    status: HTTPStatus
  ) async throws {
    let service = UploadService { $0.answer = { _ in .status(status) } }
    server.route("/files", .uploads(service))
    server.route("/files/*", .uploads(service))
    let upload = client.upload(
      put(try file()),
      options: options(.ietf) {
        $0.creation = creation
        $0.journal = journal
      }
    )
    for _ in 0..<2 {
      let error = await #expect(throws: FreshetError.self) { try await upload.value }
      #expect(error?.head?.status == status)
      #expect(try journal.read() == nil)
    }
    #expect(!methods.contains("HEAD"))
  }

  @Test func `a server that has more than was sent fails the upload`() async throws {
    server.route("/odd", .response(201, headers: [.location: "/odd/1"]))
    let fields: HTTPHeaders = ["Upload-Complete": "?0", "Upload-Offset": "9"]
    server.route("/odd/1", .response(204, headers: fields))
    let upload = client.upload(
      Request(.put, server.url("/odd"), body: .text("much water")),
      options: options(.ietf) {
        $0.creation = .careful
        $0.maximumAppend = 5
      }
    )

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error?.kind == "invalidResponse")
  }

  @Test func `a complete upload removes what is stored for its URL`() async throws {
    let client = Client()
    server.route("/films", .content(Data("old".utf8), cacheControl: "max-age=600"))
    _ = try await client.resource(at: server.url("/films")).value
    server.route("/films", .uploads(service))
    server.route("/films/*", .uploads(service))
    service.inject([.cut(after: 1000)])
    let request = Request(.put, server.url("/films"), body: .file(try file()))
    _ = try await client.upload(request, options: options(.ietf)).value
    server.route("/films", .content(Data("new".utf8), cacheControl: "max-age=600"))

    let resource = try await client.resource(at: server.url("/films")).value
    #expect(try resource.data() == Data("new".utf8))
  }

  @Test func `credentials stay at the origin of the request, and go with each request to it`()
    async throws
  {
    let other = try LoopbackServer(["/files/*": .uploads(service)])
    var request = put(try file())
    request.headers[.authorization] = "Bearer secret"
    request.headers["X-Client"] = "freshet"
    service.inject([.cut(after: 1000)])
    _ = try await client.upload(request, options: options(.ietf)).value
    let location = other.url("/files/upload-1").absoluteString
    server.route("/elsewhere", .response(201, headers: [.location: location]))
    request.url = server.url("/elsewhere")
    let careful = options(.ietf, retries: 0) { $0.creation = .careful }
    await #expect(throws: FreshetError.self) {
      try await client.upload(request, options: careful).value
    }

    let own = server.requests.filter { $0.path.hasPrefix("/files/") }
    #expect(own.count == 2)
    #expect(own.allSatisfy { $0.headers[.authorization] == "Bearer secret" })
    #expect(!other.requests.isEmpty)
    #expect(other.requests.allSatisfy { !$0.headers.contains(.authorization) })
    #expect(other.requests.allSatisfy { $0.headers["X-Client"] == "freshet" })
  }

  @Test func `credentials do not go to another origin when an upload is ended`() async throws {
    let other = try LoopbackServer(["/files/*": .uploads(service)])
    try await journal.write(
      UploadJournal.Entry(
        target: "PUT \(url.absoluteString)",
        resumption: .ietf,
        location: other.url("/files/upload-1"),
        identity: "",
        length: 1
      )
    )
    let headers: HTTPHeaders = [.authorization: "Bearer secret", "X-Client": "freshet"]
    try await client.cancelUpload(in: journal, headers: headers)

    #expect(other.requests.map { $0.headers[.authorization] } == [nil])
    #expect(other.requests.map { $0.headers["X-Client"] } == ["freshet"])
  }

  @Test func `the client's credentials do not go to another origin when an upload is ended`()
    async throws
  {
    let other = try LoopbackServer(["/files/*": .uploads(service)])
    let client = Client {
      $0.memory = nil
      $0.headers = [.authorization: "Bearer secret", "X-Own": "secret", "X-Client": "freshet"]
      $0.secretHeaders = ["X-Own"]
      $0.query = ["key": "secret"]
    }
    for location in [other.url("/files/upload-1"), server.url("/files/upload-1")] {
      try await journal.write(
        UploadJournal.Entry(
          target: "PUT \(url.absoluteString)",
          resumption: .ietf,
          location: location,
          identity: "",
          length: 1
        )
      )
      try await client.cancelUpload(in: journal)
    }

    let requests = other.requests + server.requests
    #expect(requests.map(\.method) == [.delete, .delete])
    #expect(requests.map(\.target) == ["/files/upload-1", "/files/upload-1"])
    #expect(requests.map { $0.headers[.authorization] } == [nil, "Bearer secret"])
    #expect(requests.map { $0.headers["X-Own"] } == [nil, "secret"])
    #expect(requests.map { $0.headers["X-Client"] } == ["freshet", "freshet"])
  }

  @Test func `a body that can be read only once is refused`() async throws {
    let body = RequestBody.stream { RequestBody.text("water").chunks }
    let upload = client.upload(Request(.post, url, body: body))

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error?.kind == "invalidRequest")
    #expect(server.requestCount == 0)
  }

  @Test func `the description names the protocol`() throws {
    let upload = client.upload(Request(.post, url, body: .text("x"))) { $0.resumption = .tus }
    #expect("\(upload)".hasSuffix(".upload(.tus)"))
  }
}
