import Foundation
import FreshetTesting
import TestSupport
import Testing

@testable import Freshet

/// Downloads to a file, from a real server.
@Suite(.timeLimit(.minutes(5))) struct FileDownloadTests {
  let sandbox = StoreSandbox()
  let server: LoopbackServer
  let film = GeneratedBytes(length: 9 << 20, seed: 5)
  let client = Client { $0.memoryThreshold = 64 << 10 }

  init() throws {
    server = try LoopbackServer()
    server.route("/film", .generated(film, eTag: "\"v1\""))
  }

  private var file: URL { sandbox.url.appending(path: "film") }
  private var bytes: Data { film.bytes(in: 0..<film.length) }

  /// The names in the directory, the hidden ones too.
  private func names(in folder: String = "") -> [String] {
    let path = sandbox.url.appending(path: folder).path
    return (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
  }

  private static func status(of url: URL) throws -> stat {
    var status = stat()
    try #require(lstat(url.path, &status) == 0)
    return status
  }

  private func write(_ text: String, to url: URL, mode: mode_t = 0o644) throws {
    try Data(text.utf8).write(to: url)
    #expect(chmod(url.path, mode) == 0)
  }

  /// Waits until it is so; after four minutes that is an issue.
  private func settle(
    _ condition: () -> Bool,
    at location: SourceLocation = #_sourceLocation
  ) async {
    let end = ContinuousClock.now + .seconds(240)
    while !condition() {
      guard ContinuousClock.now < end else {
        Issue.record("it did not happen", sourceLocation: location)
        return
      }
      await Task.yield()
    }
  }

  /// Whether a part of the film was stored and is not being written.
  private var hasFreePart: Bool {
    guard let name = names(in: ".film.freshet").first(where: { $0.hasSuffix(".part") }) else {
      return false
    }
    let path = sandbox.url.appending(path: ".film.freshet/\(name)").path
    return (try? OpenFile(path, O_RDWR))?.tryLock() == true
  }

  /// Makes the hidden folder of the file.
  private func folder(mode: mode_t) throws -> URL {
    let folder = sandbox.url.appending(path: ".film.freshet")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    #expect(chmod(folder.path, mode) == 0)
    return folder
  }

  // MARK: - The file

  @Test func `a download is the whole body in a file with the permissions of a new one`()
    async throws
  {
    let other = sandbox.url.appending(path: "other")
    let descriptor = open(other.path, O_CREAT | O_WRONLY, 0o666)
    close(descriptor)

    let resource = try await client.download(server.url("/film"), to: file).value

    #expect(try Data(contentsOf: file) == bytes)
    #expect(resource.body.fileURL == file)
    #expect(resource.body.length == film.length)
    #expect(try Self.status(of: file).st_mode == Self.status(of: other).st_mode)
    #expect(names() == ["film", "other"])
  }

  @Test func `a small body and an empty one are files as well`() async throws {
    server.route("/small", .text("water"))
    server.route("/empty", .text(""))

    let small = try await client.download(server.url("/small"), to: file).value
    #expect(try small.data() == Data("water".utf8))
    #expect(try Data(contentsOf: file) == Data("water".utf8))
    _ = try await client.download(server.url("/empty"), to: file).value
    #expect(try Data(contentsOf: file).isEmpty)
    #expect(names() == ["film"])
  }

  @Test func `a small body needs no folder beside its file, whose permissions are as of any body`()
    async throws
  {
    server.route("/small", .text("water"))
    // No folder can be made under this name.
    try write("taken", to: sandbox.url.appending(path: ".film.freshet"))
    let other = sandbox.url.appending(path: "other")
    let descriptor = open(other.path, O_CREAT | O_WRONLY, 0o666)
    close(descriptor)

    _ = try await client.download(server.url("/small"), to: file).value
    #expect(try Self.status(of: file).st_mode == Self.status(of: other).st_mode)
    #expect(chmod(file.path, 0o604) == 0)
    _ = try await client.download(server.url("/small"), to: file).value

    #expect(try Self.status(of: file).st_mode & 0o777 == 0o604)
    #expect(names() == [".film.freshet", "film", "other"])
  }

  @Test func `two downloads of small bodies to one file have a copy each`() async throws {
    server.route("/small", .text("water"))
    let place = sandbox.url.appending(path: ".film.freshet-copy")
    let copy = try OpenFile(creating: place.path, O_RDWR)
    #expect(copy.tryLock())

    _ = try await client.download(server.url("/small"), to: file).value

    #expect(try Data(contentsOf: file) == Data("water".utf8))
    #expect(copy.isStill(at: place.path))
    #expect(names() == [".film.freshet-copy", "film"])
  }

  @Test func `the file is the one in which the body arrived, not a copy`() async throws {
    let gate = Gate()
    let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"")
    server.route("/film", answer.held(after: 2 << 20, until: gate))
    let running = client.download(server.url("/film"), to: file).start()
    await settle { names(in: ".film.freshet").contains { $0.hasSuffix(".part") } }
    let part = try #require(names(in: ".film.freshet").first { $0.hasSuffix(".part") })
    let arriving = try Self.status(of: sandbox.url.appending(path: ".film.freshet/\(part)"))
    #expect(names() == [".film.freshet"])

    gate.open()
    _ = try await running.value

    #expect(try Self.status(of: file).st_ino == arriving.st_ino)
    #expect(names() == ["film"])
  }

  @Test func `a file keeps its mode, and its bytes until the new ones are complete`() async throws {
    let gate = Gate()
    let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"")
    server.route("/film", answer.held(after: 2 << 20, until: gate))
    try write("before", to: file, mode: 0o604)
    let running = client.download(server.url("/film"), to: file).start()
    #expect(await gate.waiting())
    #expect(try Data(contentsOf: file) == Data("before".utf8))

    gate.open()
    _ = try await running.value

    #expect(try Data(contentsOf: file) == bytes)
    #expect(try Self.status(of: file).st_mode & 0o777 == 0o604)
  }

  @Test(arguments: [true, false])
  func `writes the target of a link, and keeps the link`(isThere: Bool) async throws {
    let link = sandbox.url.appending(path: "link")
    let middle = sandbox.url.appending(path: "middle")
    #expect(symlink("middle", link.path) == 0)
    #expect(symlink(file.path, middle.path) == 0)
    if isThere { try write("before", to: file) }

    _ = try await client.download(server.url("/film"), to: link).value

    #expect(try Self.status(of: link).st_mode & S_IFMT == S_IFLNK)
    #expect(try Self.status(of: file).st_mode & S_IFMT == S_IFREG)
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test func `a file with two names is overwritten in place`() async throws {
    let other = sandbox.url.appending(path: "other")
    try write("before", to: file)
    #expect(link(file.path, other.path) == 0)

    _ = try await client.download(server.url("/film"), to: file).value

    #expect(try Data(contentsOf: other) == bytes)
    #expect(names() == ["film", "other"])
  }

  @Test func `writes into a pipe`() async throws {
    #expect(mkfifo(file.path, 0o600) == 0)
    server.route("/small", .text("water"))
    let path = file.path
    async let read = withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: try? FileHandle(forReadingAtPath: path)?.readToEnd())
      }
    }

    _ = try await client.download(server.url("/small"), to: file).value

    #expect(await read == Data("water".utf8))
    #expect(try Self.status(of: file).st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `a download into a pipe that nobody reads ends when it is cancelled`() async throws {
    #if canImport(Darwin)
    let error = await downloadIntoUnreadPipe { server.requests.count == 1 }
    #expect(error == .cancelled)
    #else
    // In this process, other tests have threads of the same name.
    await #expect(processExitsWith: .success) {
      alarm(270)
      let tests = try FileDownloadTests()
      let error = await tests.downloadIntoUnreadPipe { FileDownloadTests.hasOutputThread }
      exitTest(error == .cancelled, removing: tests.sandbox.url)
    }
    #endif
  }

  /// Downloads into a pipe that nobody reads, and cancels it once the condition holds.
  private func downloadIntoUnreadPipe(cancelledWhen condition: () -> Bool) async -> FreshetError? {
    #expect(mkfifo(file.path, 0o600) == 0)
    server.route("/small", .text("water"))
    let download = Task { [client, server, file] in
      try await client.download(server.url("/small"), to: file).value
    }
    await settle(condition)

    download.cancel()

    return await thrown { try await download.value }
  }

  #if !canImport(Darwin)
  /// Whether there is a thread that opens a pipe.
  private static var hasOutputThread: Bool {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return threads.contains {
      (try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8))
        == "freshet-output\n"
    }
  }
  #endif

  @Test func `a download into a pipe whose reader has stopped ends when it is cancelled`()
    async throws
  {
    #expect(mkfifo(file.path, 0o600) == 0)
    let reader = try OpenFile(file.path, O_RDONLY | O_NONBLOCK)
    let download = Task { [client, server, file] in
      try await client.download(server.url("/film"), to: file).value
    }
    await settle {
      var state = pollfd(fd: reader.descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&state, 1, 0) > 0 && state.revents & Int16(POLLIN) != 0
    }

    download.cancel()

    await #expect(throws: FreshetError.cancelled) { try await download.value }
    // Until here it is open.
    #expect(try reader.status().st_mode & S_IFMT == S_IFIFO)
  }

  @Test func `a cancelled download leaves a file with several names as it was`() async throws {
    server.route("/small", .text("water"))
    let resource = try await client.resource(at: server.url("/small")).value
    try write("before", to: file)
    #expect(link(file.path, sandbox.url.appending(path: "other").path) == 0)
    let task = Task { [file] in
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await DownloadTarget.file(file).take(resource, from: nil)
    }

    await #expect(throws: FreshetError.cancelled) { try await task.value }

    #expect(try Data(contentsOf: file) == Data("before".utf8))
  }

  @Test func `a download into a pipe whose reader is slow ends when it is cancelled`() async throws
  {
    #expect(mkfifo(file.path, 0o600) == 0)
    let download = Task { [client, server, file] in
      try await client.download(server.url("/film"), to: file).value
    }
    let path = file.path
    let count = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let reader = FileHandle(forReadingAtPath: path)
        let first = try? reader?.read(upToCount: 1)
        // Most of the rest does not fit into the pipe.
        download.cancel()
        let rest = try? reader?.readToEnd()
        continuation.resume(returning: (first?.count ?? 0) + (rest?.count ?? 0))
      }
    }

    await #expect(throws: FreshetError.cancelled) { try await download.value }
    #expect(0 < count && count < bytes.count)
  }

  /// A user besides root, whom a process of root's can give files.
  private static let other: uid_t = 65_534

  @Test(.enabled(if: geteuid() == 0), arguments: ["link", "pipe", "file", "own"])
  func `what another user has put into a shared directory is refused`(name: String) async throws {
    let shared = sandbox.url.appending(path: "shared")
    #expect(mkdir(shared.path, 0o755) == 0 && chmod(shared.path, 0o1777) == 0)
    let planted = shared.appending(path: name == "own" ? "link" : name)
    try write("before", to: file)
    switch name {
    case "pipe": #expect(mkfifo(planted.path, 0o666) == 0)
    case "file": try write("before", to: planted, mode: 0o666)
    default: #expect(symlink(file.path, planted.path) == 0)
    }
    #expect(lchown(planted.path, Self.other, Self.other) == 0)
    // A link of one's own that leads there is no better.
    let own = sandbox.url.appending(path: "own")
    #expect(symlink(planted.path, own.path) == 0)
    let target = name == "own" ? own : planted

    let error = await #expect(throws: FreshetError.self) {
      try await client.download(server.url("/film"), to: target).value
    }

    let reason = "another user has put it into a shared directory"
    #expect(
      error == .file("it was not possible to use it: \(reason)", path: target.path)
    )
    #expect(server.requestCount == 0)
    #expect(try Data(contentsOf: file) == Data("before".utf8))
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a link of another user is followed where only that user can write`() async throws {
    let folder = sandbox.url.appending(path: "folder")
    #expect(mkdir(folder.path, 0o755) == 0 && lchown(folder.path, Self.other, Self.other) == 0)
    let link = folder.appending(path: "link")
    #expect(symlink(file.path, link.path) == 0 && lchown(link.path, Self.other, Self.other) == 0)

    _ = try await client.download(server.url("/film"), to: link).value

    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test func `the .. of a link counts from the folder that the link is in`() async throws {
    let real = sandbox.url.appending(path: "a/real")
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: true)
    #expect(symlink("../film", real.appending(path: "link").path) == 0)
    #expect(symlink("a/real", sandbox.url.appending(path: "b").path) == 0)

    let place = sandbox.url.appending(path: "b/link")
    _ = try await client.download(server.url("/film"), to: place).value

    #expect(try Data(contentsOf: sandbox.url.appending(path: "a/film")) == bytes)
    #expect(names() == ["a", "b"])
  }

  #if !canImport(Darwin)
  /// “caf\xE9”, in Latin-1, as the system takes it.
  private static let latin: [CChar] = Array("caf".utf8CString.dropLast()) + [-23, 0]

  @Test func `writes through a link to a name that is not UTF-8`() async throws {
    let link = sandbox.url.appending(path: "link")
    #expect(symlink(Self.latin, link.path) == 0)
    close(creat(Array("\(sandbox.url.path)/".utf8CString.dropLast()) + Self.latin, 0o644))

    _ = try await client.download(server.url("/film"), to: link).value

    #expect(try Data(contentsOf: link) == bytes)
    #expect(names().count == 2)
  }

  @Test func `a link to a name that is not UTF-8, where nothing is, fails before the transfer`()
    async throws
  {
    let link = sandbox.url.appending(path: "link")
    #expect(symlink(Self.latin, link.path) == 0)

    let error = await #expect(throws: FreshetError.self) {
      try await client.download(server.url("/film"), to: link).value
    }

    #expect(error?.kind == "file" && server.requestCount == 0)
    #expect(names() == ["link"])
  }

  @Test func `writes through a link in a folder whose name is not UTF-8`() async throws {
    let folder = sandbox.url.appending(path: "folder")
    #expect(symlink(Self.latin, folder.path) == 0)
    #expect(mkdir(Array("\(sandbox.url.path)/".utf8CString.dropLast()) + Self.latin, 0o755) == 0)
    #expect(symlink("film", folder.appending(path: "link").path) == 0)
    try write("before", to: folder.appending(path: "film"))

    _ = try await client.download(server.url("/film"), to: folder.appending(path: "link")).value

    #expect(try Data(contentsOf: folder.appending(path: "film")) == bytes)
    #expect(names().count == 2)
  }
  #endif

  @Test func `a pipe whose reader closes it is a failure`() async throws {
    #expect(mkfifo(file.path, 0o600) == 0)
    let path = file.path
    async let left: Void = withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let reader = FileHandle(forReadingAtPath: path)
        _ = try? reader?.read(upToCount: 1)
        try? reader?.close()
        continuation.resume()
      }
    }

    await #expect(throws: FreshetError.self) {
      try await client.download(server.url("/film"), to: file).value
    }
    await left
  }

  @Test func `a place that cannot be written fails before anything is sent`() async throws {
    let places = ["missing/film", "directory", "loop"]
    try FileManager.default.createDirectory(
      at: sandbox.url.appending(path: "directory"),
      withIntermediateDirectories: false
    )
    #expect(symlink("loop", sandbox.url.appending(path: "loop").path) == 0)
    for place in places {
      let url = sandbox.url.appending(path: place)
      let error = await #expect(throws: FreshetError.self) {
        try await client.download(server.url("/film"), to: url).value
      }
      guard case .file(_, let path) = error else {
        Issue.record("\(place): \(String(describing: error))")
        continue
      }
      #expect(path == url.path)
    }
    await #expect(throws: FreshetError.self) {
      try await client.download(server.url("/film"), into: file).value
    }
    await #expect(throws: FreshetError.self) {
      try await client.download(Request(.head, server.url("/film")), to: file).value
    }

    #expect(server.requests.isEmpty)
    #expect(names() == ["directory", "loop"])
  }

  @Test func `two concurrent downloads to one file succeed with one transfer`() async throws {
    let gate = Gate()
    let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"")
    server.route("/film", answer.held(after: 2 << 20, until: gate))
    let first = client.download(server.url("/film"), to: file).start()
    let second = client.download(server.url("/film"), to: file).start()
    await settle { client.configuration.coalescer?.subscriberCount == 2 }

    gate.open()

    for running in [first, second] {
      #expect(try await running.value.body.fileURL == file)
    }
    #expect(try Data(contentsOf: file) == bytes)
    #expect(server.requests.count == 1)
    #expect(names() == ["film"])
  }

  // MARK: - Failures

  @Test func `a wrong digest or an error status changes no file`()
    async throws
  {
    server.route("/missing", .status(404, body: "not here"))
    try write("before", to: file)
    let wrong = SHA256Hasher.digest(of: Data("other".utf8))

    let corrupted = await #expect(throws: FreshetError.self) {
      try await client.download(server.url("/film"), to: file, expecting: .sha256(wrong)).value
    }
    let missing = await #expect(throws: FreshetError.self) {
      try await client.download(server.url("/missing"), to: file).value
    }

    guard case .corrupted = corrupted, case .status = missing else {
      Issue.record("\(String(describing: corrupted)), \(String(describing: missing))")
      return
    }
    #expect(try Data(contentsOf: file) == Data("before".utf8))
    #expect(names() == ["film"])
  }

  @Test func `a body with its expected digest becomes the file`() async throws {
    let digest = SHA256Hasher.digest(of: bytes)
    let resource =
      try await client.download(
        server.url("/film"),
        to: file,
        expecting: .sha256(digest)
      )
      .value

    #expect(try Data(contentsOf: file) == bytes)
    #expect(resource.explanation.contains(.verified(digest)))
  }

  @Test func `a stale copy does not replace a file where the network fails`() async throws {
    server.route(
      "/news",
      .sequence([
        .content(Data("old".utf8), eTag: "\"1\"", cacheControl: "max-age=0"), .status(503),
      ])
    )
    _ = try await client.resource(at: server.url("/news")).value
    try write("newer", to: file)

    let error = await #expect(throws: FreshetError.self) {
      try await client.download(server.url("/news"), to: file).value
    }

    guard case .status = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try Data(contentsOf: file) == Data("newer".utf8))
  }

  @Test func `a download that is cancelled and cannot be resumed leaves nothing behind`()
    async throws
  {
    let gate = Gate()
    server.route("/film", .generated(film).held(after: 2 << 20, until: gate))
    let running = client.download(server.url("/film"), to: file).start()
    await settle { !names(in: ".film.freshet").isEmpty }

    running.cancel()

    await #expect(throws: FreshetError.cancelled) { try await running.value }
    await settle { names().isEmpty }
    #expect(names() == [])
  }

  @Test func `a download that ends before the first byte leaves nothing behind`() async throws {
    let gate = Gate()
    server.route("/film", .generated(film, eTag: "\"v1\"").held(after: 0, until: gate))
    let running = client.download(server.url("/film"), to: file).start()
    await settle { names(in: ".film.freshet").contains { $0.hasSuffix(".head") } }

    running.cancel()

    await #expect(throws: FreshetError.cancelled) { try await running.value }
    await settle { names().isEmpty }
    #expect(names() == [])
  }

  @Test func `a complete file leaves nothing that waits for it, not even an empty body`()
    async throws
  {
    let folder = try folder(mode: 0o700)
    try write("", to: folder.appending(path: "a.part"))
    try write("{}", to: folder.appending(path: "a.head"))

    _ = try await client.download(server.url("/film"), to: file).value

    #expect(names() == ["film"])
  }

  /// A volume without permissions has directories that others may write.
  @Test(arguments: [(0o777, true), (0o1777, false), (0o755, false)] as [(mode_t, Bool)])
  func `arrives in a folder that is as open as the directory of its file, and in no other one`(
    mode: mode_t,
    arrives: Bool
  ) async throws {
    #expect(chmod(sandbox.url.path, mode) == 0)
    _ = try folder(mode: 0o777)

    let resource = try? await client.download(server.url("/film"), to: file).value

    let expected = arrives ? ["film"] : []
    #expect((resource != nil) == arrives)
    await settle { names() == expected }
    #expect(names() == expected)
  }

  @Test func `files of which only the end of the name differs have folders of their own`() {
    let name = String(repeating: "長", count: 80)
    let folders = ["1", "2"].map { ArrivalFolder(of: sandbox.url.appending(path: name + $0)) }

    #expect(folders[0].url != folders[1].url)
    #expect(folders[0].copyFile != folders[1].copyFile)
    #expect(folders.allSatisfy { $0.copyFile?.lastPathComponent.utf8.count ?? 0 <= 255 })
  }

  @Test func `a client that is shut down has removed the folder of a cancelled download`()
    async throws
  {
    let gate = Gate()
    server.route("/film", .generated(film).held(after: 2 << 20, until: gate))
    let running = client.download(server.url("/film"), to: file).start()
    await settle { !names(in: ".film.freshet").isEmpty }
    running.cancel()
    await #expect(throws: FreshetError.cancelled) { try await running.value }

    await client.shutdown()

    #expect(names() == [])
  }

  // MARK: - Resuming

  /// Cancels a download of the film after 5 MiB, and waits until what has arrived can be resumed.
  private func interrupt(_ url: URL, expecting digest: Checksum? = nil) async throws {
    let running = client.download(url, to: file, expecting: digest).start()
    for try await event in running.events {
      if case .progress(let progress) = event, progress.completed >= 5 << 20 { break }
    }
    running.cancel()
    await #expect(throws: FreshetError.cancelled) { try await running.value }
    await settle { client.configuration.coalescer?.count == 0 }
    await settle { hasFreePart }
  }

  @Test(arguments: [nil, "no-store"])
  func `the next download resumes a cancelled one without a disk store`(
    control: String?
  ) async throws {
    let gate = Gate()
    let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"", cacheControl: control)
    server.route("/film", .sequence([answer.held(after: 6 << 20, until: gate), answer]))
    try await interrupt(server.url("/film"))

    // Another process has another client.
    let next = Client { $0.memoryThreshold = 64 << 10 }
    let resource = try await next.download(server.url("/film"), to: file).value

    #expect(try Data(contentsOf: file) == bytes)
    let range = try #require(server.requests.last?.headers[.range].flatMap(ByteRange.init))
    #expect(try #require(range.positions(in: film.length)).lowerBound >= 4 << 20)
    #expect(server.requests.last?.headers[.ifRange] == "\"v1\"")
    #expect(resource.explanation.description.contains("resum"))
    #expect(names() == ["film"])
  }

  @Test func `a body that cannot be put in its place waits for the next download`() async throws {
    let gate = Gate()
    let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"")
    server.route("/film", .sequence([answer.held(after: 6 << 20, until: gate), answer]))
    let running = client.download(server.url("/film"), to: file).start()
    await settle { !names(in: ".film.freshet").isEmpty }
    try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
    gate.open()
    await #expect(throws: FreshetError.self) { try await running.value }
    await settle { client.configuration.coalescer?.count == 0 }
    await settle { hasFreePart }
    try FileManager.default.removeItem(at: file)

    _ = try await client.download(server.url("/film"), to: file).value

    #expect(try Data(contentsOf: file) == bytes)
    #expect(server.requests.last?.headers[.range] == "bytes=\(film.length - 1)-")
    #expect(names() == ["film"])
  }

  @Test(arguments: [true, false])
  func `another signature of a URL is resumed only if the digest of the whole is expected`(
    isExpected: Bool
  ) async throws {
    let gate = Gate()
    let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"")
    server.route("/film", .sequence([answer.held(after: 6 << 20, until: gate), answer]))
    let signed = (1...3).map { LoopbackServer.Answer.redirect(to: "/film?signature=\($0)") }
    server.route("/signed", .sequence(signed))
    let digest = isExpected ? Checksum.sha256(SHA256Hasher.digest(of: bytes)) : nil
    try await interrupt(server.url("/signed"), expecting: digest)

    _ = try await client.download(server.url("/signed"), to: file, expecting: digest).value

    #expect(try Data(contentsOf: file) == bytes)
    #expect((server.requests.last?.headers[.range] != nil) == isExpected)
    #expect(names() == ["film"])
  }

  @Test func `the rest of a body that is longer than the request allows is refused by its head`()
    async throws
  {
    let (gate, next) = (Gate(), Gate())
    let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"")
    server.route(
      "/film",
      .sequence([answer.held(after: 6 << 20, until: gate), answer.held(after: 1, until: next)])
    )
    try await interrupt(server.url("/film"))
    var request = Request(server.url("/film"))
    request.limits.bodyBytes = film.length - 1

    let url = server.url("/film").absoluteString

    await #expect(throws: FreshetError.limitExceeded(.bodyBytes(film.length - 1), url: url)) {
      try await client.download(request, to: file).value
    }

    #expect(server.requests.last?.headers[.range] != nil)
    #expect(hasFreePart)
  }

  @Test func `leaves the files of another download in the same folder`() async throws {
    let folder = try folder(mode: 0o700)
    let (arriving, place) = try SpoolFile.make(in: folder)
    let hour = Date(timeIntervalSinceNow: -3_600)
    try FileManager.default.setAttributes([.modificationDate: hour], ofItemAtPath: place.path)
    let record = try ReplacementFile(for: folder.appending(path: "a.head").path)

    _ = try await client.download(server.url("/film"), to: file).value

    #expect(FileManager.default.fileExists(atPath: place.path))
    try record.commit()
    withExtendedLifetime(arriving) {}
  }

  @Test func `removes what a killed process did not move into place`() async throws {
    let folder = sandbox.url.appending(path: ".film.freshet")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    #expect(chmod(folder.path, 0o700) == 0)
    try Data("left".utf8).write(to: SpoolFile.place(in: folder))
    try Data("left".utf8).write(to: folder.appending(path: ".freshet-left"))
    #expect(mkdir(folder.appending(path: ".mode").path, 0o700) == 0)
    try write("left", to: sandbox.url.appending(path: ".film.freshet-copy"))

    _ = try await client.download(server.url("/film"), to: file).value

    #expect(names() == ["film"])
  }

  @Test func `removes bodies and records that killed processes have left of each other`()
    async throws
  {
    let folder = sandbox.url.appending(path: ".freshet")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    #expect(chmod(folder.path, 0o700) == 0)
    for name in ["a.part", "b.head", "c.part", "c.head"] {
      try Data("left".utf8).write(to: folder.appending(path: name))
    }
    let hour = Date(timeIntervalSinceNow: -3_600)
    let record = folder.appending(path: "b.head").path
    try FileManager.default.setAttributes([.modificationDate: hour], ofItemAtPath: record)

    _ = try await client.download(server.url("/film"), into: sandbox.url).value

    #expect(names() == [".freshet", "film"])
    #expect(names(in: ".freshet") == ["c.head", "c.part"])
  }

  // MARK: - Stores

  @Test func `a fresh copy of a store becomes the file without a request, and stays stored`()
    async throws
  {
    server.route("/film", .generated(film, eTag: "\"v1\"", cacheControl: "max-age=600"))
    let disk = DiskStore(directory: sandbox.url.appending(path: "store"))
    let storing = Client { ($0.disk, $0.memory) = (disk, nil) }
    _ = try await storing.resource(at: server.url("/film")).value

    let resource = try await storing.download(server.url("/film"), to: file).value

    #expect(server.requests.count == 1)
    #expect(resource.source == .disk)
    #expect(try Data(contentsOf: file) == bytes)
    // The two share no file: what the user writes changes nothing in the store.
    try Data("mine".utf8).write(to: file)
    #expect(try await disk.verify().damaged.isEmpty)
    #expect(names() == ["film", "store"])
  }

  @Test func `a copy has no name in a directory before it is complete`() async throws {
    server.route("/film", .generated(film, eTag: "\"v1\"", cacheControl: "max-age=600"))
    let disk = DiskStore(directory: sandbox.url.appending(path: "store"))
    let storing = Client { ($0.disk, $0.memory) = (disk, nil) }
    _ = try await storing.resource(at: server.url("/film")).value
    let folder = sandbox.url.appending(path: "folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    // No copy can be made.
    try write("taken", to: folder.appending(path: ".freshet"))
    let hour = Date(timeIntervalSinceNow: -3_600)
    try FileManager.default.setAttributes([.modificationDate: hour], ofItemAtPath: folder.path)
    let before = DirectoryEntry.modified(try Self.status(of: folder))

    await #expect(throws: FreshetError.self) {
      try await storing.download(server.url("/film"), into: folder).value
    }

    // Each name that is made or removed changes it.
    #expect(DirectoryEntry.modified(try Self.status(of: folder)) == before)
  }

  @Test func `a damaged copy of a store is downloaded instead, once`() async throws {
    server.route("/film", .generated(film, eTag: "\"v1\"", cacheControl: "max-age=600"))
    let disk = DiskStore(directory: sandbox.url.appending(path: "store"))
    let storing = Client { ($0.disk, $0.memory) = (disk, nil) }
    _ = try await storing.resource(at: server.url("/film")).value
    let body = try #require(sandbox.files(in: "store/bodies").first)
    let copy = try FileHandle(forWritingTo: sandbox.url.appending(path: "store/bodies/\(body)"))
    try copy.seek(toOffset: UInt64(film.length / 2))
    try copy.write(contentsOf: Data("damaged".utf8))

    let resource = try await storing.download(server.url("/film"), to: file).value

    #expect(resource.source == .network)
    #expect(server.requests.count == 2)
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test func `a download to a file is in no store`() async throws {
    server.route("/film", .generated(film, eTag: "\"v1\"", cacheControl: "max-age=600"))
    let disk = DiskStore(directory: sandbox.url.appending(path: "store"))
    let storing = Client { $0.disk = disk }

    _ = try await storing.download(server.url("/film"), to: file).value

    #expect(try await disk.statistics().count == 0)
    #expect(storing.configuration.memory?.count == 0)
  }

  @Test func `a disk store reports a body that is too large before it arrives`()
    async throws
  {
    let gate = Gate()
    let answer = LoopbackServer.Answer.generated(film, eTag: "\"v1\"", cacheControl: "max-age=600")
    server.route("/film", answer.held(after: 0, until: gate))
    server.route("/secret", .generated(film, cacheControl: "no-store"))
    let heard = Heard<String>()
    let storing = Client {
      $0.disk = DiskStore(directory: sandbox.url.appending(path: "store")) {
        $0.byteLimit = 4 << 20
      } onDiagnostic: {
        heard.append("\($0)")
      }
    }
    _ = try await storing.resource(at: server.url("/secret")).value
    #expect(heard.all.isEmpty)

    let running = storing.resource(at: server.url("/film")).start()
    await settle { !heard.all.isEmpty }
    #expect(heard.all.first?.contains("9437184 bytes") == true, "\(heard.all)")
    gate.open()

    #expect(try await running.value.body.length == film.length)
    #expect(heard.all.count == 1, "\(heard.all)")
  }

  @Test func `a printed download shows request and target without secrets`() throws {
    let url = try #require(URL(string: "https://u:p@example.org/film?token=1"))
    let text = client.download(url, to: URL(filePath: "/tmp/film")).description

    #expect(text.contains(".download(to: /tmp/film)"))
    #expect(!text.contains("token") && !text.contains("p@"))
  }
}
