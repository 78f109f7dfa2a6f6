import Foundation
import FreshetTesting
import Synchronization
import TestSupport
import Testing

@testable import Freshet

/// Uploads to servers that answer in their own way, and with other options.
@Suite(.timeLimit(.minutes(5))) struct UploadAnswersTests {
  let folder: TemporaryDirectory
  let server: LoopbackServer
  let client = Client { $0.memory = nil }

  init() throws {
    folder = try TemporaryDirectory()
    server = try LoopbackServer()
  }

  private var journal: UploadJournal { UploadJournal(at: folder.file("journal")) }

  private var methods: [String] { server.requests.map(\.method.rawValue) }

  /// Uploads ten bytes.
  private func upload(
    to path: String,
    headers: HTTPHeaders = [:],
    _ change: (inout UploadOptions) -> Void
  ) -> UploadSequence {
    let body = RequestBody.text("much water")
    return client.upload(Request(.put, server.url(path), headers: headers, body: body)) {
      $0.creation = .optimistic
      $0.retry = RetryPolicy(retries: 0, after: .zero)
      change(&$0)
    }
  }

  /// Requires that an upload fails, because of a response at a path, and is not resumed.
  private func requireEnd(
    of upload: UploadSequence,
    _ problem: String,
    at path: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = await #expect(throws: FreshetError.self, sourceLocation: sourceLocation) {
      try await upload.value
    }
    let url = server.url(path).absoluteString
    #expect(error == .invalidResponse(problem, url: url), sourceLocation: sourceLocation)
    #expect(try journal.read() == nil, sourceLocation: sourceLocation)
  }

  private func serve(_ configure: (inout UploadService.Configuration) -> Void) -> UploadService {
    let service = UploadService(configure)
    server.route("/files", .uploads(service))
    server.route("/files/*", .uploads(service))
    return service
  }

  @Test func `an upload that is complete before its last append fails, and is not resumed`()
    async throws
  {
    server.route("/early", .response(201, headers: [.location: "/early/1"]))
    let fields: HTTPHeaders = ["Upload-Complete": "?1", "Upload-Offset": "5"]
    server.route("/early/1", .response(200, headers: fields))
    let upload = upload(to: "/early") {
      $0.creation = .careful
      $0.maximumAppend = 5
      $0.journal = journal
    }

    let problem = "the server calls the upload complete with 5 of 10 bytes"
    try await requireEnd(of: upload, problem, at: "/early/1")
  }

  @Test(arguments: [UploadOptions.Creation.careful, .optimistic])
  func `a completion that does not count all bytes fails, and is not resumed`(
    creation: UploadOptions.Creation
  ) async throws {
    let fields: HTTPHeaders = [
      "Upload-Complete": "?1", "Upload-Offset": "5", .location: "/short/1",
    ]
    let isCareful = creation == .careful
    server.route("/short", .response(201, headers: isCareful ? [.location: "/short/1"] : fields))
    server.route("/short/1", .response(200, headers: fields))
    let upload = upload(to: "/short") {
      $0.creation = creation
      $0.journal = journal
    }

    let path = isCareful ? "/short/1" : "/short"
    let problem = "the server calls the upload complete with 5 of 10 bytes"
    try await requireEnd(of: upload, problem, at: path)
  }

  /// The fields of an upload of which the server has all ten bytes, and of one of which it has five.
  private let complete: HTTPHeaders = ["Upload-Complete": "?1", "Upload-Offset": "10"]
  private let half: HTTPHeaders = ["Upload-Complete": "?0", "Upload-Offset": "5"]

  /// An interim response that tells the address of the upload.
  private func interim(_ location: String) -> String {
    "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 8\r\n"
      + "Location: \(location)\r\n\r\n"
  }

  /// Answers the creation with an address and a status, and the question for the offset with all bytes.
  private func refuse(_ status: String, fields: String = "") {
    let refusal = "HTTP/1.1 \(status)\r\n\(fields)Content-Length: 0\r\n\r\n"
    server.route("/refused", .raw(interim("/refused/1") + refusal))
    server.route("/refused/1", .response(204, headers: complete))
  }

  @Test(arguments: [("500 Error", 1), ("500 Error", 0), ("422 No", 1)])
  func `an upload that was refused is no success because all of it is there`(
    status: String,
    retries: Int
  ) async throws {
    refuse(status)
    let upload = upload(to: "/refused") {
      $0.retry = RetryPolicy(retries: retries, after: .zero)
      $0.journal = journal
    }

    // Nor is it later: it begins anew.
    for count in 1...2 {
      let error = await #expect(throws: FreshetError.self) { try await upload.value }
      #expect(error?.head.map { "\($0.status)" } == "\(status.prefix(3))")
      #expect(methods.count { $0 == "PUT" } == count)
    }
  }

  @Test(arguments: [(500, 1), (500, 0), (409, 1), (413, 1)])
  func `an upload whose last append was refused is no success because all of it is there`(
    status: Int,
    retries: Int
  ) async throws {
    server.route("/refused", .response(201, headers: [.location: "/refused/1"]))
    server.route(
      "/refused/1",
      .handler { [complete] in
        $0.method == .head ? .response(204, headers: complete) : .status(HTTPStatus(status))
      }
    )
    let upload = upload(to: "/refused") {
      $0.creation = .careful
      $0.retry = RetryPolicy(retries: retries, after: .zero)
      $0.journal = journal
    }

    for count in 1...2 {
      let error = await #expect(throws: FreshetError.self) { try await upload.value }
      #expect(error?.head?.status == HTTPStatus(status))
      #expect(methods.count { $0 == "PUT" } == count)
    }
  }

  @Test(arguments: ["", "Upload-Draft-Interop-Version: 7\r\n"])
  func `an interim response of another version of the protocol is ignored`(
    field: String
  ) async throws {
    let interim = "HTTP/1.1 104 Upload\r\n\(field)Location: /other/1\r\n\r\n"
    server.route("/other", .raw(interim + "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"))
    let upload = upload(to: "/other") {
      $0.journal = journal
      $0.retry = RetryPolicy(retries: 1, after: .zero)
    }

    await #expect(throws: FreshetError.self) { try await upload.value }

    #expect(try journal.read() == nil)
    #expect(methods == ["PUT", "PUT"])
  }

  @Test(arguments: [UploadOptions.Resumption.ietf, .tus])
  func `an upload that its server gives up each time ends`(
    resumption: UploadOptions.Resumption
  ) async throws {
    let creations = Counter()
    server.route(
      "/lost",
      .handler { [server] _ in
        let path = "/lost/\(creations.next())"
        // Each takes the first half, and is gone then.
        let half = LoopbackServer.Answer.response(204, headers: ["Upload-Offset": "5"])
        server.route(path, .sequence([half, .status(410)]))
        return .response(201, headers: [.location: path])
      }
    )
    let upload = upload(to: "/lost") {
      $0.resumption = resumption
      $0.creation = .careful
      $0.maximumAppend = 5
      $0.retry = RetryPolicy(retries: 5, after: .zero)
    }

    let error = await #expect(throws: FreshetError.self) { try await upload.value }

    #expect(error?.head?.status == 410)
    #expect(creations.value == 6)
  }

  @Test func `what the request leaves out is left out of each of its requests`() async throws {
    _ = serve { _ in }
    let client = Client {
      $0.memory = nil
      $0.headers["Expect"] = "100-continue"
    }
    var request = Request(.put, server.url("/files"), body: .text("much water"))
    request.omittedHeaders = ["Expect"]
    _ = try await client.upload(request) { $0.creation = .careful }.value

    #expect(server.requests.map { $0.headers["Expect"] } == [nil, nil])
  }

  @Test func `a client is free once an upload has its response`() async throws {
    _ = serve { _ in }
    var response: Response<Data>?
    for try await event in upload(to: "/files", { _ in }) {
      guard case .value(let value) = event else { continue }
      await client.shutdown(grace: .seconds(600))
      response = value
    }

    #expect(response?.status == 201)
  }

  @Test func `the request of a response is another call when it is sent again`() async throws {
    _ = serve { _ in }
    let response = try await upload(to: "/files") { _ in }.value
    server.route("/files", .sequence([.status(503), .text("again")]))
    let client = Client {
      $0.memory = nil
      $0.retry = RetryPolicy(retries: 1, after: .zero)
    }
    var request = try #require(response.request)
    request.method = .get
    request.body = nil

    #expect(try await client.send(request).value.status == 200)
  }

  @Test func `an upload that was refused is no success later, although nobody could ask then`()
    async throws
  {
    refuse("500 Error")
    server.route("/refused/1", .sequence([.status(403), .response(204, headers: complete)]))
    let upload = upload(to: "/refused") {
      $0.retry = RetryPolicy(retries: 1, after: .zero)
      $0.journal = journal
    }

    for _ in 0..<2 { await #expect(throws: FreshetError.self) { try await upload.value } }
    #expect(methods == ["PUT", "HEAD", "HEAD", "PUT", "HEAD"])
  }

  @Test(arguments: [408, 425, 429, 502, 503, 504])
  func `an upload whose response a gateway has not got is a success if all of it is there`(
    status: Int
  ) async throws {
    refuse("\(status) Later")
    let upload = upload(to: "/refused") { $0.retry = RetryPolicy(retries: 1, after: .zero) }

    #expect(try await upload.value.status == 204)
  }

  @Test(arguments: [0, 1])
  func `an upload that was refused and is not complete can be resumed`(retries: Int) async throws {
    let fields = retries == 0 ? "Upload-Complete: ?0\r\nUpload-Offset: 5\r\n" : ""
    refuse("507 Full", fields: fields)
    server.route(
      "/refused/1",
      .handler { [half] in $0.method == .head ? .response(204, headers: half) : .status(507) }
    )

    await #expect(throws: FreshetError.self) {
      try await upload(to: "/refused") {
        $0.retry = RetryPolicy(retries: retries, after: .zero)
        $0.maximumAppend = 3
        $0.journal = journal
      }
      .value
    }
    #expect(try journal.read() != nil)
    server.route(
      "/refused/1",
      .handler { [complete, half] request in
        request.method == .patch
          ? .response(200, headers: complete) : .response(204, headers: half)
      }
    )
    _ = try await upload(to: "/refused") { $0.journal = journal }.value
    #expect(server.requests.last?.body == Data("water".utf8))
  }

  @Test func `an upload that went on after a refusal is a success if all of it is there later`()
    async throws
  {
    refuse("500 Error")
    server.route(
      "/refused/1",
      .handler { [half] in $0.method == .head ? .response(204, headers: half) : .status(500) }
    )
    let upload = upload(to: "/refused") {
      $0.retry = RetryPolicy(retries: 1, after: .zero)
      $0.maximumAppend = 3
      $0.creation = .optimistic
      $0.journal = journal
    }
    await #expect(throws: FreshetError.self) { try await upload.value }
    server.route("/refused/1", .response(204, headers: complete))

    let before = methods.count
    #expect(try await upload.value.status == 204)
    #expect(methods.dropFirst(before) == ["HEAD"])
  }

  private static let needless: [(Int, HTTPHeaders, String)] = [
    (423, [:], ""), (409, ["Upload-Offset": "10"], ""),
    (400, [:], #"{"type":"https://iana.org/assignments/http-problem-types#completed-upload"}"#),
  ]

  @Test(arguments: needless)
  func `a last append for which there was nothing to do is a success if all of it is there`(
    status: Int,
    fields: HTTPHeaders,
    body: String
  ) async throws {
    server.route("/late", .response(201, headers: [.location: "/late/1"]))
    server.route(
      "/late/1",
      .handler { [complete] request in
        guard request.method != .head else { return .response(204, headers: complete) }
        return .response(HTTPStatus(status), headers: fields, body: Data(body.utf8))
      }
    )
    let upload = upload(to: "/late") {
      $0.creation = .careful
      $0.retry = RetryPolicy(retries: 1, after: .zero)
    }

    #expect(try await upload.value.status == 204)
  }

  @Test func `an upload whose refusal breaks off is no success because all of it is there`()
    async throws
  {
    refuse("")
    let broken = "HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nbecause"
    server.route("/refused", .raw(interim("/refused/1") + broken))
    let upload = upload(to: "/refused") { $0.retry = RetryPolicy(retries: 1, after: .zero) }

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error?.head?.status == 500)
  }

  @Test func `a refusal is not that of another upload in its place`() async throws {
    let refusal = "HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n"
    server.route(
      "/place",
      .sequence([.raw(interim("/place/1") + refusal), .raw(interim("/place/2"))])
    )
    server.route("/place/2", .response(204, headers: complete))
    let upload = upload(to: "/place") { $0.retry = RetryPolicy(retries: 4, after: .zero) }

    #expect(try await upload.value.status == 204)
  }

  @Test func `the digest of a response's own empty body is not that of the upload`() async throws {
    let own = SHA256Hasher.digest(of: Data()).bytes.base64EncodedString()
    refuse("201 Created", fields: "Repr-Digest: sha-256=:\(own):\r\n")

    #expect(try await upload(to: "/refused") { $0.sendsDigest = true }.value.status == 201)
  }

  @Test func `an upload that is complete with other bytes is damaged, also if there are none`()
    async throws
  {
    let digest = SHA256Hasher.digest(of: Data()).bytes.base64EncodedString()
    refuse("504 Timeout")
    let fields: HTTPHeaders = [
      "Upload-Complete": "?1", "Upload-Offset": "10", "Repr-Digest": "sha-256=:\(digest):",
    ]
    server.route("/refused/1", .response(204, headers: fields))

    let error = await #expect(throws: FreshetError.self) {
      try await upload(to: "/refused") { $0.retry = RetryPolicy(retries: 1, after: .zero) }.value
    }
    #expect(error?.kind == "corrupted")
  }

  @Test func `the digest of an upload is compared if the server has told its address`()
    async throws
  {
    let other = Data(count: 32).base64EncodedString()
    refuse("201 Created", fields: "Repr-Digest: sha-256=:\(other):\r\n")

    let error = await #expect(throws: FreshetError.self) {
      try await upload(to: "/refused") { $0.sendsDigest = true }.value
    }
    #expect(error?.kind == "corrupted")
  }

  @Test func `a key of the retry policy goes with the creation`() async throws {
    let service = serve { _ in }
    service.inject([.status(503)])
    let request = Request(.post, server.url("/files"), body: .text("much water"))
    _ =
      try await client
      .upload(request) {
        $0.creation = .optimistic
        $0.retry = RetryPolicy(retries: 1, after: .zero)
        $0.retry.eligibility = .generatingKeys
      }
      .value

    let keys = server.requests.map { $0.headers[.idempotencyKey] }
    #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
  }

  @Test func `another upload has another key, and a key of the request stays`() async throws {
    let service = serve { _ in }
    func keys(_ headers: HTTPHeaders) async throws -> [String?] {
      let count = server.requestCount
      let body = RequestBody.text("much water")
      let request = Request(.post, server.url("/files"), headers: headers, body: body)
      _ =
        try await client
        .upload(request) {
          $0.resumption = .tus
          $0.retry = RetryPolicy(retries: 3, after: .zero)
          $0.retry.eligibility = .generatingKeys
        }
        .value
      return server.requests.dropFirst(count).filter { $0.method == .post }
        .map { $0.headers[.idempotencyKey] }
    }

    service.inject([.forget])
    let own = try await keys([:])
    #expect(own.count == 2 && own[0] != own[1] && !own.contains(nil))
    #expect(try await keys([.idempotencyKey: "mine"]) == ["mine"])
  }

  @Test func `a creation in place of one that was too large has another key, and another journal`()
    async throws
  {
    let limit = "Upload-Limit: max-append-size=6\r\n"
    let refusal = "HTTP/1.1 413 Large\r\n\(limit)Content-Length: 0\r\n\r\n"
    server.route("/large", .sequence([.raw(interim("/large/1") + refusal), .status(403)]))
    let request = Request(.post, server.url("/large"), body: .text("much water"))

    await #expect(throws: FreshetError.self) {
      try await client
        .upload(request) {
          $0.creation = .optimistic
          $0.retry.eligibility = .generatingKeys
          $0.journal = journal
        }
        .value
    }
    let keys = server.requests.map { $0.headers[.idempotencyKey] }
    #expect(keys.count == 2 && keys[0] != keys[1] && !keys.contains(nil))
    #expect(try journal.read() == nil)
  }

  @Test(arguments: [true, false])
  func `a request that is too large is sent in smaller ones once the limit is told`(
    isCreation: Bool
  ) async throws {
    let limit: HTTPHeaders = ["Upload-Limit": "max-append-size=6", "Upload-Complete": "?0"]
    let received = Mutex(Data())
    let answer: @Sendable (LoopbackServer.ReceivedRequest) -> LoopbackServer.Answer = { request in
      var fields = limit
      if request.body.count > 6 { return .response(413, headers: fields) }
      let count = received.withLock { bytes in
        bytes.append(request.body)
        return bytes.count
      }
      fields["Upload-Offset"] = "\(count)"
      fields["Upload-Complete"] = count == 10 ? "?1" : "?0"
      fields[.location] = "/limited/1"
      if request.method == .put, !isCreation { fields["Upload-Limit"] = nil }
      return .response(request.method == .put ? 201 : 204, headers: fields)
    }
    server.route("/limited", .handler(answer))
    server.route("/limited/1", .handler(answer))

    _ = try await upload(to: "/limited") {
      $0.creation = isCreation ? .optimistic : .careful
      $0.retry = RetryPolicy(retries: 1, after: .zero)
    }
    .value

    #expect(received.withLock { $0 } == Data("much water".utf8))
  }

  @Test func `an empty creation has no fields about the content of the whole`() async throws {
    let service = serve { _ in }
    let headers: HTTPHeaders = [
      .contentLength: "10", .contentDigest: "sha-256=:\(Data(count: 32).base64EncodedString()):",
      "Content-MD5": "x",
    ]

    _ = try await upload(to: "/files", headers: headers) { $0.creation = .careful }.value

    #expect(service.uploads.map(\.bytes) == [Data("much water".utf8)])
    let first = try #require(server.requests.first?.headers)
    #expect(first[.contentLength] == "0" || first[.contentLength] == nil)
    #expect(first[.contentDigest] == nil && first["Content-MD5"] == nil)
  }

  @Test(arguments: [nil, "abc"])
  func `tus: an append without an offset is no success, and can be resumed`(
    offset: String?
  ) async throws {
    server.route("/tus", .response(201, headers: [.location: "/tus/1"]))
    server.route(
      "/tus/1",
      .handler { request in
        var fields: HTTPHeaders = ["Tus-Resumable": "1.0.0"]
        fields["Upload-Offset"] = request.method == .head ? "0" : offset
        return .response(request.method == .head ? 200 : 204, headers: fields)
      }
    )
    let upload = client.upload(Request(.post, server.url("/tus"), body: .text("much water"))) {
      $0.resumption = .tus
      $0.retry = RetryPolicy(retries: 2, after: .zero)
      $0.journal = journal
    }

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    let url = server.url("/tus/1").absoluteString
    #expect(error == .invalidResponse("it has no Upload-Offset", url: url))
    #expect(methods == ["POST", "PATCH", "HEAD", "PATCH", "HEAD", "PATCH"])
    #expect(try journal.read() != nil)
  }

  @Test(arguments: [UploadOptions.Resumption.ietf, .tus])
  func `an upload of another length is not continued`(
    resumption: UploadOptions.Resumption
  ) async throws {
    server.route("/long", .response(201, headers: [.location: "/long/1"]))
    server.route(
      "/long/1",
      .handler { request in
        guard request.method == .head else { return .status(503) }
        return .response(200, headers: ["Upload-Offset": "3", "Upload-Length": "77"])
      }
    )
    let upload = client.upload(Request(.post, server.url("/long"), body: .text("much water"))) {
      $0.resumption = resumption
      $0.creation = .careful
      $0.retry = RetryPolicy(retries: 2, after: .zero)
      $0.journal = journal
    }

    let problem = "its Upload-Length is 77, but the body has 10 bytes"
    try await requireEnd(of: upload, problem, at: "/long/1")
  }

  @Test(arguments: [UploadOptions.Resumption.ietf, .tus])
  func `the fields of the protocol are those of the upload, whatever the request has`(
    resumption: UploadOptions.Resumption
  ) async throws {
    let service = serve { _ in }
    let headers: HTTPHeaders = [
      "Upload-Complete": "?0", "Upload-Offset": "3", "Upload-Length": "1",
      "Tus-Resumable": "0.2", "Upload-Draft-Interop-Version": "3",
    ]
    let upload = upload(to: "/files", headers: headers) {
      $0.resumption = resumption
      $0.creation = .careful
    }
    _ = try await upload.value

    #expect(service.uploads.map(\.bytes) == [Data("much water".utf8)])
    #expect(server.requests.map { $0.headers["Upload-Offset"] } == [nil, "0"])
    #expect(server.requests.map { $0.headers["Upload-Length"] } == ["10", nil])
    let version = resumption == .tus ? "1.0.0" : nil
    #expect(server.requests.map { $0.headers["Tus-Resumable"] } == [version, version])
  }

  @Test func `a compressed request is refused in words that name the compression`() async throws {
    let request = Request(.put, server.url("/files"), body: .text("water")).compressed()

    let error = await #expect(throws: FreshetError.self) {
      try await client.upload(request).value
    }
    #expect(error?.kind == "invalidRequest")
    #expect(error?.description.contains("compressed()") == true)
    #expect(server.requestCount == 0)
  }

  @Test(arguments: ["?1", "?0"])
  func `an upload of more bytes than the body has fails, and is not resumed`(
    complete: String
  ) async throws {
    server.route("/more", .response(201, headers: [.location: "/more/1"]))
    let fields: HTTPHeaders = ["Upload-Complete": complete, "Upload-Offset": "11"]
    server.route("/more/1", .response(204, headers: fields))
    let upload = upload(to: "/more") {
      $0.creation = .careful
      $0.maximumAppend = 5
      $0.journal = journal
    }

    let problem = "its Upload-Offset is 11, but the body has 10 bytes"
    try await requireEnd(of: upload, problem, at: "/more/1")
  }

  @Test(arguments: [
    ("https://ｅxample.org/1", "its host contains a character that is mapped to another one"),
    (
      "https://ann:secret@example.org/1",
      "its URL contains a user or password; put credentials into the Authorization header"
    ),
  ])
  func `an upload whose Location is not requested fails, and has no journal`(
    location: String,
    problem: String
  ) async throws {
    server.route("/elsewhere", .response(201, headers: [.location: location]))
    let upload = upload(to: "/elsewhere") {
      $0.creation = .careful
      $0.journal = journal
    }

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    let url = server.url("/elsewhere").absoluteString
    #expect(error == .invalidResponse("its Location is not requested: \(problem)", url: url))
    #expect(try journal.read() == nil)
    #expect(methods == ["PUT"])
  }

  @Test func `a Location has its characters encoded, and no encoded one again`() async throws {
    server.route("/files", .response(201, headers: [.location: "/files/[1]%20a"]))
    let fields: HTTPHeaders = ["Upload-Complete": "?1", "Upload-Offset": "10"]
    server.route("/files/*", .response(204, headers: fields))

    _ = try await upload(to: "/files") { $0.creation = .careful }.value

    #expect(server.requests.map(\.target) == ["/files", "/files/%5B1%5D%20a"])
  }

  @Test func `an upload with all bytes that is never complete fails`() async throws {
    server.route("/never", .response(201, headers: [.location: "/never/1"]))
    let fields: HTTPHeaders = ["Upload-Complete": "?0", "Upload-Offset": "10"]
    server.route("/never/1", .response(200, headers: fields))

    let error = await #expect(throws: FreshetError.self) {
      try await upload(to: "/never") { $0.creation = .careful }.value
    }
    let url = server.url("/never/1").absoluteString
    #expect(error == .invalidResponse("its Upload-Offset did not advance", url: url))
    #expect(methods == ["PUT", "PATCH", "PATCH"])
  }

  @Test func `an upload whose bytes were damaged leaves no journal`() async throws {
    server.route("/damaged", .response(201, headers: [.location: "/damaged/1"]))
    let other = SHA256Hasher.digest(of: Data("other".utf8)).bytes.base64EncodedString()
    let fields: HTTPHeaders = ["Upload-Complete": "?1", "Repr-Digest": "sha-256=:\(other):"]
    server.route("/damaged/1", .response(200, headers: fields))
    let upload = upload(to: "/damaged") {
      $0.creation = .careful
      $0.journal = journal
    }

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error?.kind == "corrupted")
    #expect(try journal.read() == nil)
  }

  @Test(arguments: [UploadOptions.Creation.optimistic, .asking])
  func `a limit of the options does not cut what a server without resumable uploads gets`(
    creation: UploadOptions.Creation
  ) async throws {
    let service = serve { $0.resumes = false }
    _ =
      try await upload(to: "/files") {
        $0.creation = creation
        $0.maximumAppend = 5
      }
      .value

    #expect(service.uploads.map(\.bytes) == [Data("much water".utf8)])
    #expect(methods == ["OPTIONS", "PUT"])
  }

  @Test func `a limit of the options cuts what a server with resumable uploads gets`() async throws
  {
    let service = serve { _ in }
    _ = try await upload(to: "/files") { $0.maximumAppend = 5 }.value

    #expect(service.uploads.map(\.bytes) == [Data("much water".utf8)])
    #expect(methods == ["OPTIONS", "PUT", "PATCH", "PATCH"])
  }

  @Test func `each request with content asks for the consent that the first one asks for`()
    async throws
  {
    _ = serve { _ in }
    let headers: HTTPHeaders = ["Expect": "100-continue"]
    _ = try await upload(to: "/files", headers: headers) { $0.creation = .careful }.value

    #expect(server.requests.map { $0.headers["Expect"] } == [nil, "100-continue"])
    #expect(methods == ["PUT", "PATCH"])
  }

  @Test func `an append asks for consent from the length that the client says`() async throws {
    _ = serve { _ in }
    let client = Client {
      $0.memory = nil
      $0.expectContinueLength = 6
    }
    let upload = client.upload(Request(.put, server.url("/files"), body: .text("much water"))) {
      $0.creation = .careful
      $0.maximumAppend = 6
    }
    _ = try await upload.value

    #expect(server.requests.map { $0.headers["Expect"] } == [nil, "100-continue", nil])
  }

  @Test func `a pipe is no journal, and is not waited for`() async throws {
    _ = serve { _ in }
    #expect(mkfifo(journal.file.path, 0o600) == 0)
    let upload = upload(to: "/files") { $0.journal = journal }

    let error = await #expect(throws: FreshetError.self) { try await upload.value }
    #expect(error?.kind == "file")
  }

  @Test func `a negative length creates nothing`() async throws {
    let service = serve { _ in }
    for length in ["-1", "ten"] {
      var request = Request(.post, server.url("/files"), body: .text("water"))
      request.headers["Upload-Length"] = length
      request.headers["Upload-Complete"] = "?1"
      #expect(try await client.send(request).value.status == 400)
    }
    #expect(service.uploads.isEmpty)
  }

  #if !canImport(Darwin)
  @Test func `the digest of bytes is computed away from the actor of the caller`() async throws {
    _ = serve { _ in }
    let bytes = Data(count: 32 << 20)
    let alone = threadTime { _ = SHA256Hasher.digest(of: bytes) }
    let caller = Caller()
    try await caller.upload(Request(.put, server.url("/files"), body: .bytes(bytes)), client)

    #expect(caller.executor.time < alone / 2)
  }
  #endif
}

#if !canImport(Darwin)
/// An executor that measures the processor time of its jobs.
private final class MeasuredExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "measured")
  private let total = Mutex(Duration.zero)

  /// The time so far.
  var time: Duration { total.withLock(\.self) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in
      let time = threadTime { job.runSynchronously(on: asUnownedSerialExecutor()) }
      total.withLock { $0 += time }
    }
  }
}

private actor Caller {
  nonisolated let executor = MeasuredExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func upload(_ request: Request, _ client: Client) async throws {
    for try await _ in client.upload(request, options: { $0.sendsDigest = false }) {}
  }
}
#endif
