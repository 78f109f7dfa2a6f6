import Foundation
import Freshet
import FreshetTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct BatchJournalTests {
  let world = BatchWorld()
  let folder: TemporaryDirectory
  let journal: BatchJournal

  init() throws {
    folder = try TemporaryDirectory()
    journal = BatchJournal(at: folder.file("journal"))
  }

  private var text: String {
    get throws { try String(contentsOf: journal.file, encoding: .utf8) }
  }

  private func paths(_ plan: BatchPlan?) -> [String]? {
    plan?.items.map(\.request.url.lastPathComponent)
  }

  /// Runs until so many values have been taken, and then leaves.
  private func interrupt(_ batch: Batch, after count: Int) async throws {
    var received = 0
    for try await event in batch.run(maxConcurrent: 1, journal: journal) {
      if case .received = event { received += 1 }
      if received > count { break }
    }
  }

  @Test func `an interrupted run leaves the unfinished items`() async throws {
    let client = world.client(world.origin())
    let plan = try await client.batch(["1", "2", "3", "4"].map(BatchWorld.url)).plan().value

    try await interrupt(client.batch(plan), after: 2)

    // The third was taken, but nobody came back after it.
    #expect(paths(try journal.remaining()) == ["3", "4"])
    #expect(try journal.completed().map(\.url.lastPathComponent) == ["1", "2"])
    #expect(try journal.remaining()?.items.map(\.need) == [.body(3), .body(4)])
  }

  @Test(.enabled(if: geteuid() == 0)) func `the journal of another user is refused`() async throws {
    let client = world.client(world.origin())
    let batch = client.batch(["1", "2"].map(BatchWorld.url))
    try journal.record(batch)
    #expect(chown(journal.file.path, 65_534, 65_534) == 0)
    let refusal = FreshetError.file(
      "it was not possible to use it: it belongs to another user",
      path: journal.file.path
    )

    let reading = #expect(throws: FreshetError.self) { try journal.remaining() }
    let run = await #expect(throws: FreshetError.self) {
      try await batch.run(journal: journal).value
    }

    #expect(reading == refusal)
    #expect(run == refusal)
  }

  #if !canImport(Darwin)
  @Test(.enabled(if: geteuid() == 0))
  func `a journal is not refused where the file system gives all files to one user`() throws {
    try journal.record(world.client(world.origin()).batch(["1", "2"].map(BatchWorld.url)))
    #expect(chown(journal.file.path, 65_534, 65_534) == 0)
    #expect(chmod(folder.url.path, 0o777) == 0)
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setFileUser = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)

    // The user to whom new files of the thread belong, whoever the process belongs to.
    _ = setFileUser(65_534)
    let remaining = Result { try journal.remaining() }
    _ = setFileUser(0)

    #expect(paths(try remaining.get()) == ["1", "2"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["journal"])
  }
  #endif

  @Test func `an item is done when its reader is cancelled before it asks for the next event`()
    async throws
  {
    let client = world.client(world.origin())
    let batch = client.batch(["1", "2", "3"].map(BatchWorld.url))
    let task = Task {
      var events = batch.run(maxConcurrent: 1, journal: journal).makeAsyncIterator()
      while let event = try await events.next() {
        if case .received = event { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }

    await #expect(throws: FreshetError.cancelled) { try await task.value }
    #expect(paths(try journal.remaining()) == ["2", "3"])
  }

  @Test func `refuses a request with a body before anything is sent`() async throws {
    let transport = world.origin()
    let client = world.client(transport)
    let post = Request(.post, BatchWorld.url("1"), body: .text("x"))
    let batch = client.batch([Request(BatchWorld.url("2")), post])

    let error = await #expect(throws: FreshetError.self) {
      _ = try await batch.run(journal: journal).value
    }
    #expect(error?.kind == "invalidRequest")
    #expect(throws: FreshetError.self) { try journal.record(batch) }
    #expect(transport.requests.isEmpty)
    #expect(try journal.remaining() == nil)
  }

  @Test func `a request with a body is fetched in a sequence, and not recorded`() async throws {
    let transport = world.origin()
    let post = Request(.post, BatchWorld.url("2"), body: .text("x"))
    let requests = [BatchWorld.request("1"), post, BatchWorld.request("missing")]

    let result = try await world.client(transport)
      .batch(RequestScript(requests: requests))
      .run(journal: journal)
      .value

    #expect(result.completedItems == 2 && result.failures.map(\.item.index) == [2])
    #expect(transport.requests.contains { $0.method == .post })
    #expect(paths(try journal.remaining()) == ["missing"])
    #expect(try journal.completed().map(\.url.lastPathComponent) == ["1"])
  }

  @Test func `a continued run finishes the remaining items and removes the journal`() async throws {
    let transport = world.origin()
    let client = world.client(transport, memory: nil)
    try await interrupt(client.batch(["1", "2", "3"].map(BatchWorld.url)), after: 1)
    let before = transport.requests.count

    let left = try #require(try journal.remaining())
    let result = try await client.batch(left).run(journal: journal).value

    #expect(result.completedItems == 2)
    #expect(Set(transport.requests[before...].map(\.url.lastPathComponent)) == ["2", "3"])
    #expect(try journal.remaining() == nil)
    #expect(!FileManager.default.fileExists(atPath: journal.file.path))
  }

  @Test func `an item that is recorded before the run remains if the run never begins`()
    async throws
  {
    let transport = world.origin()
    let client = world.client(transport, memory: nil)
    try await interrupt(client.batch(["1", "2", "3"].map(BatchWorld.url)), after: 1)

    try journal.record(client.batch(try #require(try journal.remaining())))
    #expect(paths(try journal.remaining()) == ["2", "3"])
    #expect(try journal.completed().map(\.url.lastPathComponent) == ["1"])

    try journal.record(client.batch(["8", "9"].map(BatchWorld.url)))
    #expect(paths(try journal.remaining()) == ["8", "9"])
  }

  @Test func `a continued run keeps what was done to another file of the same URL`() async throws {
    let client = world.client(world.origin(), memory: nil)
    let files = ["a", "b"].map { journal.file.deletingLastPathComponent().appending(path: $0) }
    let entries = files.map { BatchEntry(Request(BatchWorld.url("1")), to: $0) }
    try await interrupt(client.batch(entries), after: 1)

    try journal.record(client.batch(try #require(try journal.remaining())))

    #expect(paths(try journal.remaining()) == ["1"])
    #expect(try journal.completed().count == 1)
  }

  @Test(arguments: ["method", "field"])
  func `a continued run keeps what was done for another request of the same URL`(
    difference: String
  ) async throws {
    let client = world.client(world.origin(), memory: nil)
    var requests = [Request(BatchWorld.url("1")), Request(BatchWorld.url("1"))]
    if difference == "method" {
      requests[1].method = .head
    } else {
      requests[0].headers[.accept] = "application/json"
      requests[1].headers[.accept] = "text/html"
    }
    try await interrupt(client.batch(requests), after: 1)

    try journal.record(client.batch(try #require(try journal.remaining())))

    #expect(paths(try journal.remaining()) == ["1"])
    #expect(try journal.completed().map(\.headers) == [requests[0].headers])
    #expect(try journal.completed().map(\.method) == [.get])
  }

  @Test func `a run with other credentials repeats the items of the last one`() async throws {
    let client = world.client(world.origin(), memory: nil)
    var requests = (1...3).map { Request(BatchWorld.url("\($0)")) }
    for index in requests.indices { requests[index].headers[.authorization] = "old" }
    try await interrupt(client.batch(requests), after: 1)
    #expect(try journal.completed().count == 1)
    for index in requests.indices { requests[index].headers[.authorization] = "new" }

    try journal.record(client.batch(requests))

    #expect(try journal.completed().isEmpty)
    #expect(try journal.remaining()?.items.count == 3)
  }

  @Test func `a run repeats an item whose file is relative to a folder`() async throws {
    let client = world.client(world.origin(), memory: nil)
    let entries = (1...3)
      .map { number in
        let file = URL(filePath: "\(number)", relativeTo: folder.url)
        return BatchEntry(BatchWorld.url("\(number)"), to: file)
      }
    try await interrupt(client.batch(entries), after: 1)
    #expect(try journal.completed().count == 1)

    try journal.record(client.batch(entries))

    #expect(try journal.completed().isEmpty)
    #expect(try journal.remaining()?.items.count == 3)
  }

  @Test func `a plan that needs a client does not change the journal`() async throws {
    let client = world.client(world.origin())
    try journal.record(client.batch(["1", "2"].map(BatchWorld.url)))
    let left = try #require(try journal.remaining())

    let error = await #expect(throws: FreshetError.self) {
      try await left.run(journal: journal).value
    }

    #expect(error?.kind == "invalidRequest")
    #expect(paths(try journal.remaining()) == ["1", "2"])
  }

  @Test func `a run does not change the journal of a later run`() async throws {
    let client = world.client(world.origin())
    for try await event in client.batch([BatchWorld.url("1")]).run(journal: journal) {
      if case .received = event { try journal.record(client.batch([BatchWorld.url("2")])) }
    }

    #expect(paths(try journal.remaining()) == ["2"])
  }

  @Test func `of two runs with one journal, the later one is recorded`()
    async throws
  {
    let client = world.client(world.origin(), memory: nil)
    let (ours, theirs) = (["1", "2", "missing"], ["8", "9", "missing_2"])
    var first = client.batch(ours.map(BatchWorld.url))
      .run(maxConcurrent: 1, journal: journal)
      .makeAsyncIterator()
    #expect(try await first.next()?.name == "started 1")
    var second = client.batch(theirs.map(BatchWorld.url))
      .run(maxConcurrent: 1, journal: journal)
      .makeAsyncIterator()
    #expect(try await second.next()?.name == "started 8")

    while let event = try await first.next() {
      if case .finished(let result) = event { #expect(result.completedItems == 2) }
    }
    #expect(paths(try journal.remaining()) == theirs)
    while try await second.next() != nil {}

    #expect(paths(try journal.remaining()) == ["missing_2"])
    #expect(Set(try journal.completed().map(\.url.lastPathComponent)) == ["8", "9"])
  }

  @Test func `finished items stay finished after several interruptions`() async throws {
    let client = world.client(world.origin())
    try await interrupt(client.batch((1...6).map { BatchWorld.url("\($0)") }), after: 2)
    try await interrupt(client.batch(try #require(try journal.remaining())), after: 1)

    #expect(Set(try journal.completed().map(\.url.lastPathComponent)) == ["1", "2", "3"])
    #expect(paths(try journal.remaining()) == ["4", "5", "6"])
  }

  @Test func `a run of finished items starts again`() async throws {
    let client = world.client(world.origin())
    try await interrupt(client.batch((1...4).map { BatchWorld.url("\($0)") }), after: 2)

    try await interrupt(client.batch((1...4).map { BatchWorld.url("\($0)") }), after: 0)

    #expect(try journal.completed().isEmpty)
    #expect(try journal.remaining()?.items.count == 4)
  }

  @Test func `a run of some remaining items can keep the others`() async throws {
    let client = world.client(world.origin())
    try await interrupt(client.batch((1...5).map { BatchWorld.url("\($0)") }), after: 1)
    var journal = journal
    journal.keepsOthers = true

    _ = try await client.batch(["4", "8"].map(BatchWorld.url)).run(journal: journal).value
    #expect(paths(try journal.remaining()) == ["2", "3", "5"])
    #expect(Set(try journal.completed().map(\.url.lastPathComponent)) == ["1", "4", "8"])

    _ = try await client.batch([Request]()).run(journal: journal).value
    #expect(paths(try journal.remaining()) == ["2", "3", "5"])
    #expect(try journal.completed().count == 3)

    let left = try #require(try journal.remaining())
    _ = try await client.batch(left).run(journal: journal).value
    #expect(try journal.remaining() == nil)
  }

  @Test func `with confirmation, an item is done when it is confirmed`() async throws {
    let client = world.client(world.origin())
    var journal = journal
    journal.awaitsConfirmation = true
    let batch = client.batch(["1", "2", "3"].map(BatchWorld.url))

    var events = batch.run(maxConcurrent: 1, journal: journal).makeAsyncIterator()
    while let event = try await events.next(isolation: #isolation) {
      guard case .received(let item, _) = event, item.index != 1 else { continue }
      events.confirm(item.index)
      // What has not been received cannot be done.
      if item.index == 0 { events.confirm(1) }
    }

    #expect(paths(try journal.remaining()) == ["2"])
    #expect(try journal.completed().count == 2)
  }

  @Test func `failed items remain`() async throws {
    let client = world.client(world.origin())

    _ = try await client.batch(["1", "missing", "2"].map(BatchWorld.url)).run(journal: journal)
      .value

    #expect(paths(try journal.remaining()) == ["missing"])
  }

  @Test func `a sequence is recorded as it is read`() async throws {
    let client = world.client(world.origin())
    let requests = (0..<100).map { BatchWorld.request("1_\($0)") }

    try await interrupt(client.batch(RequestScript(requests: requests)), after: 3)

    #expect(try journal.completed().count == 3)
    #expect(try #require(try journal.remaining()).items.count < 20)
  }

  @Test func `ignores an incomplete line`() async throws {
    let client = world.client(world.origin())
    try await interrupt(client.batch(["1", "2", "3"].map(BatchWorld.url)), after: 1)
    // The lengths from which each line is whole, the last one without its line break too.
    var length = -1
    let ends = try text.split(separator: "\n")
      .map { line in
        length += line.utf8.count + 1
        return length
      }
    // The header, the three items, and that the first one is done.
    try #require(ends.count == 5)
    for length in stride(from: try text.utf8.count, to: 20, by: -7) {
      let handle = try FileHandle(forWritingTo: journal.file)
      try handle.truncate(atOffset: UInt64(length))
      try handle.close()
      let items = ends[1...3].count { $0 <= length }
      let done = ends[4] <= length ? 1 : 0

      #expect(try journal.remaining()?.items.count == items - done)
      #expect(try journal.completed().count == done)
    }
  }

  @Test func `stores no credentials, in a file that only its owner can read`() async throws {
    var request = BatchWorld.request("1")
    request.headers = [
      .authorization: "Bearer s3cret", "X-Badge": "s3cret", "X-Pass": "s3cret", "X-Team": "s3cret",
    ]
    request.redirects.secretHeaders = ["X-Pass"]
    let transport = world.origin()
    let client = Client {
      $0.transport = transport
      $0.secretHeaders = ["X-Badge"]
      $0.redirects.secretHeaders = ["X-Team"]
    }

    try await interrupt(client.batch([request, BatchWorld.request("2")]), after: 0)

    #expect(try !text.contains("s3cret"))
    let left = try #require(try journal.remaining()?.items.first)
    #expect(left.request.redirects.secretHeaders == ["X-Badge", "X-Pass", "X-Team"])
    let attributes = try FileManager.default.attributesOfItem(atPath: journal.file.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `does not use another file as a journal`() throws {
    try Data("hello\n".utf8).write(to: journal.file)

    #expect(throws: FreshetError.self) { try journal.remaining() }
  }

  @Test func `a pipe is no journal, and is not waited for`() throws {
    #expect(mkfifo(journal.file.path, 0o600) == 0)
    // While it is open for both, nobody who opens it waits, and the test fails instead of hanging.
    let pipe = open(journal.file.path, O_RDWR | O_NONBLOCK)
    defer { close(pipe) }

    #expect(throws: FreshetError.self) { try journal.remaining() }
  }

  @Test(arguments: ["hello\n", "freshet batch 0\n{\"done\":1}\n"])
  func `a run leaves a file that is no journal, and sends nothing`(content: String) async throws {
    try Data(content.utf8).write(to: journal.file)
    let transport = world.origin()
    let batch = world.client(transport).batch([BatchWorld.url("1")])

    let error = await #expect(throws: FreshetError.self) {
      try await batch.run(journal: journal).value
    }
    #expect(throws: FreshetError.self) { try journal.record(batch) }

    #expect(error?.kind == "file")
    #expect(try text == content)
    #expect(transport.requests.isEmpty)
  }

  @Test(arguments: ["", "freshet batch 1\nhello\n{\"done\":"])
  func `a run replaces an empty file and a damaged journal`(content: String) async throws {
    try Data(content.utf8).write(to: journal.file)
    let batch = world.client(world.origin()).batch(["1", "2"].map(BatchWorld.url))

    try journal.record(batch)
    #expect(paths(try journal.remaining()) == ["1", "2"])
    _ = try await batch.run(journal: journal).value

    #expect(!FileManager.default.fileExists(atPath: journal.file.path))
  }

  @Test func `the run ends if the journal cannot be created`() async throws {
    let nowhere = BatchJournal(at: folder.file("missing/journal"))
    let client = world.client(world.origin())

    let error = await #expect(throws: FreshetError.self) {
      try await client.batch([BatchWorld.url("1")]).run(journal: nowhere).value
    }

    #expect(error?.kind == "file")
    #expect(try nowhere.remaining() == nil)
  }

  @Test func `discarding removes the journal, and does nothing without one`() async throws {
    let client = world.client(world.origin())
    try await interrupt(client.batch(["1", "2"].map(BatchWorld.url)), after: 0)

    try journal.discard()
    try journal.discard()

    #expect(try journal.remaining() == nil)
  }
}
