#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetModels
import FreshetTesting

/// Every call to the system for a file of a store fails once, and from some point on all of them.
///
/// A short run takes about twenty calls of each scene, each kind of failure other ones, and says how many
/// they are of all. It needs `Native/calls.c`, preloaded.
struct FilesExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    let calls = try FailingCalls()
    var (triedCount, callCount) = (0, 0)
    // One alone, to find out what is behind a failure.
    let only = ProcessInfo.processInfo.environment["FRESHET_LAB_SCENE"]
    for scene in Scene.allCases where only == nil || only == "\(scene)" {
      // What happens once in a process, such as a look at the file system, happens now.
      let (whole, _) = try await attempt(scene, calls, -1, 0, false)
      let stride = bench.options.isLong ? 1 : max(1, whole / 20)
      // SQLite does not work on a file system in the network.
      let failures = Self.failures + (scene == .file ? [Self.remote] : [])
      for (place, (name, code, persists)) in failures.enumerated() {
        var (number, count, problems) = (place * 5 % stride, 0, [String]())
        while true {
          let (total, found) = try await attempt(scene, calls, number, code, persists)
          problems += found.map { "\(name), call \(number): \($0)" }
          guard number < total else { break }
          count += 1
          number += stride
        }
        notebook.note("\(scene) with \(name)", count: count, problems: problems)
        triedCount += count
        callCount += whole
      }
    }
    guard !bench.options.isLong else { return }
    notebook.confess("\(triedCount) of about \(callCount) calls failed, the long form takes all")
  }

  private static let failures: [(String, Int32, Bool)] = [
    ("an I/O error", EIO, false), ("I/O errors from then on", EIO, true),
    ("no space from then on", ENOSPC, true), ("no descriptor", EMFILE, false),
    ("no permission from then on", EACCES, true), ("an interruption", EINTR, false),
  ]

  /// The server of a file system in the network takes no more, and says so late.
  private static let remote = ("a server's quota from then on", EDQUOT, true)

  /// How many calls there were, and what is wrong.
  private func attempt(
    _ scene: Scene,
    _ calls: FailingCalls,
    _ number: Int,
    _ code: Int32,
    _ persists: Bool
  ) async throws -> (Int, [String]) {
    let folder = bench.folder("files")
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await scene.prepare(folder)
    let before = Census.take()
    calls.begin(in: folder, number, code, persists)
    let ending = await Race.first(within: 30) {
      await scene.play(in: folder) { calls.stop() }
    }
    var problems = ending ?? ["it hangs"]
    problems += await Census.settle(before, seconds: 20)
    return (calls.counted, problems)
  }
}

/// What is done while calls fail.
enum Scene: CaseIterable, CustomStringConvertible {
  case disk, filled, verified, seeds, resumed, models, journal, file

  var description: String {
    switch self {
    case .disk: "disk store"
    case .filled: "disk store with a write-ahead log"
    case .verified: "a look at all that is stored"
    case .seeds: "seeds that are copied"
    case .resumed: "a download that goes on"
    case .models: "model store"
    case .journal: "batch with a journal"
    case .file: "a body that is written to a file"
    }
  }

  private static let old = Data("old".utf8)

  /// Puts in place what has to be there before anything fails.
  func prepare(_ folder: URL) async throws {
    switch self {
    case .filled, .verified: try await FilledScene.fill(folder)
    case .seeds: try await FilledScene.seed(folder)
    case .file: try Self.old.write(to: folder.appending(path: "target"))
    case .disk, .resumed, .models, .journal: break
    }
  }

  /// Does it, ends the failures, and looks at what is left.
  func play(in folder: URL, _ endFailures: @Sendable () -> Void) async -> [String] {
    switch self {
    case .disk: await DiskScene(folder: folder).play(endFailures)
    // A page that could not be read in the middle of a change is damage for SQLite, and the database is
    // restarted: what is there has to be right, and need not be there.
    case .filled: await DiskScene(folder: folder).play(endFailures)
    case .verified: await FilledScene.verify(folder, endFailures)
    case .seeds: await FilledScene.copySeeds(folder, endFailures)
    case .resumed: await FilledScene.resume(folder, endFailures)
    case .models: await modelScene(folder, endFailures)
    case .journal: await journalScene(folder, endFailures)
    case .file: await fileScene(folder, endFailures)
    }
  }

  private func modelScene(_ folder: URL, _ endFailures: @Sendable () -> Void) async -> [String] {
    var problems: [String] = []
    var saved: Set<Int> = []
    let store = ModelStore(directory: folder.appending(path: "models"))
    for number in 0..<4 where (try? await store.save(Sample(number, length: 6_000))) != nil {
      saved.insert(number)
    }
    let hasDeleted = (try? await store.delete(Sample.self, id: 1)) != nil
    // A deletion that fails may have been made.
    saved.remove(1)
    if let found = try? await store.model(Sample.self, id: 2), found != Sample(2, length: 6_000) {
      problems.append("a model is wrong")
    }
    await store.close()
    endFailures()
    let again = ModelStore(directory: folder.appending(path: "models"))
    do throws(FreshetError) {
      for number in saved {
        let found = try await again.model(Sample.self, id: number)
        if found != Sample(number, length: 6_000) { problems.append("model \(number) is lost") }
      }
      if hasDeleted, try await again.model(Sample.self, id: 1) != nil {
        problems.append("model 1 is still there")
      }
      try await again.save(Sample(9))
    } catch {
      problems.append("afterwards: \(error)")
    }
    await again.close()
    return problems
  }

  private func journalScene(_ folder: URL, _ endFailures: @Sendable () -> Void) async -> [String] {
    let journal = BatchJournal(at: folder.appending(path: "journal"))
    let client = Client { $0.transport = Specimen.origin }
    let requests = (0..<5).map { Specimen(number: $0).request }
    var problems: [String] = []
    do throws(FreshetError) {
      let result = try await client.batch(requests).run(journal: journal).value
      if result.progress.endedItems != 5 { problems.append("\(result.progress.endedItems) ended") }
    } catch {
      if !["file", "store"].contains(error.kind) { problems.append("\(error)") }
    }
    endFailures()
    let known = Set(requests.map(\.url))
    if let done = try? journal.completed(), !known.isSuperset(of: done.map(\.url)) {
      problems.append("the journal has what was never asked for")
    }
    return problems
  }

  private func fileScene(_ folder: URL, _ endFailures: @Sendable () -> Void) async -> [String] {
    var problems: [String] = []
    // A file whose removal has failed stays for a sweep.
    let (specimen, target) = (Specimen(number: 3), folder.appending(path: "target"))
    var isWritten = false
    do throws(FreshetError) {
      var spool = Spool(directory: folder.appending(path: "spool"), threshold: 1_000)
      spool.threshold = 1_000
      let resource = try await Fetch.request(specimen.request)
        .download(over: Specimen.origin, spool: spool).settle().value
      try resource.body.write(to: target)
      isWritten = true
    } catch {
      if error.kind != "file" { problems.append("\(error)") }
    }
    endFailures()
    let data = (try? Data(contentsOf: target)) ?? Data()
    if !data.elementsEqual(isWritten ? specimen.body : Self.old) {
      problems.append("the target has \(data.count) bytes, written: \(isWritten)")
    }
    return problems
  }
}

/// A disk store in use.
struct DiskScene {
  let folder: URL

  func play(_ endFailures: @Sendable () -> Void) async -> [String] {
    var problems: [String] = []
    var kept: Set<Int> = []
    let store = DiskStore(directory: folder.appending(path: "store"))
    let client = Specimen.client(store)
    for number in [1, 3, 4, 6, 3, 1] {
      let specimen = Specimen(number: number)
      do throws(FreshetError) {
        let resource = try await client.resource(specimen.request).value
        if resource.explanation.contains(.stored(.disk)) { kept.insert(number) }
        if try !resource.data().elementsEqual(specimen.body) {
          problems.append("\(number) is wrong")
        }
      } catch {
        // The answer has come; only a file that cannot be read may be in the way.
        if error.kind != "file" { problems.append("\(number): \(error)") }
      }
    }
    var renewal = Specimen(number: 4).request
    renewal.headers[.cacheControl] = "no-cache"
    _ = try? await client.resource(renewal).value
    let hasRemoved = (try? await store.remove(Specimen(number: 6).key)) != nil
    // A removal that fails may have removed it.
    kept.remove(6)
    await store.close()
    endFailures()
    return problems + (await reopen(kept, without: hasRemoved ? [6] : []))
  }

  /// What was acknowledged is there, or is gone, and the store works.
  private func reopen(_ kept: Set<Int>, without removed: Set<Int>) async -> [String] {
    var problems: [String] = []
    let store = DiskStore(directory: folder.appending(path: "store"))
    for number in [1, 3, 4, 6] {
      let specimen = Specimen(number: number)
      let found = await store.find(specimen.key, for: [:])
      if found == nil, kept.contains(number) { problems.append("\(number) is lost") }
      if found != nil, removed.contains(number) { problems.append("\(number) is still there") }
      if (try? specimen.isRight(found)) != true { problems.append("\(number) is stored wrong") }
    }
    do throws(FreshetError) {
      let new = Specimen(number: 9)
      _ = try await Specimen.client(store).resource(new.request).value
      if await store.find(new.key, for: [:]) == nil { problems.append("nothing is kept") }
      let damaged = try await store.verify().damaged
      if !damaged.isEmpty { problems.append("damaged: \(damaged)") }
    } catch {
      problems.append("afterwards: \(error)")
    }
    await store.close()
    return problems
  }
}

/// The functions of `Native/calls.c`.
struct FailingCalls: Sendable {
  private typealias Fail = @convention(c) (UnsafePointer<CChar>, Int, Int32, Bool) -> Void
  private typealias Stop = @convention(c) () -> Int

  private let fail: Fail
  private let end: Stop

  init() throws {
    guard let fail = dlsym(nil, "freshet_lab_fail"), let end = dlsym(nil, "freshet_lab_stop") else {
      throw LabError("preload what Native/calls.c makes; .scripts/lab.sh does")
    }
    self.fail = unsafeBitCast(fail, to: Fail.self)
    self.end = unsafeBitCast(end, to: Stop.self)
  }

  func begin(in folder: URL, _ number: Int, _ code: Int32, _ persists: Bool) {
    // No call has the number -1, but they are counted.
    fail(folder.path, number < 0 ? .max : number, code, persists)
  }

  func stop() { _ = end() }

  var counted: Int { end() }
}
#endif
