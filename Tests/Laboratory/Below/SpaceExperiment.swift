#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetModels

/// A disk that is full: a small file system of its own where that may be had, and files that may not
/// grow.
struct SpaceExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    signal(SIGXFSZ, SIG_IGN)
    try await onSmallFileSystem("small") { folder in
      try await fill(folder, "a full file system") {
        mount("tmpfs", folder.path, "tmpfs", UInt(MS_REMOUNT), "size=64m,mode=700")
      }
    }
    try await onSmallFileSystem("closed") { try await reopen($0) }
    try await underFileLimit()
  }

  private func onSmallFileSystem(
    _ name: String,
    _ use: (URL) async throws -> Void
  ) async throws {
    let folder = bench.folder(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard mount("tmpfs", folder.path, "tmpfs", 0, "size=700k,mode=700") == 0 else {
      let code = errno
      guard code == EPERM || code == EACCES else {
        throw LabError("no file system of its own: \(String(cString: strerror(code)))")
      }
      return notebook.confess("the machine refuses mounts: no full file system was tried")
    }
    defer { umount2(folder.path, Int32(MNT_DETACH)) }
    try await use(folder)
  }

  private func underFileLimit() async throws {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    getrlimit(resource, &limit)
    var low = limit
    low.rlim_cur = 150_000
    setrlimit(resource, &low)
    try await fill(bench.folder("limited"), "files that may not grow") {
      setrlimit(resource, &limit)
    }
    setrlimit(resource, &limit)
  }

  /// Uses stores until nothing more fits, then a while longer, then with space again.
  private func fill(_ folder: URL, _ name: String, _ free: () -> Int32) async throws {
    let store = DiskStore(directory: folder.appending(path: "store"))
    let models = ModelStore(directory: folder.appending(path: "models"))
    let client = Specimen.client(store)
    var (problems, kept, saved): ([String], Set<Int>, Set<Int>) = ([], [], [])
    for number in 1...200 {
      let specimen = Specimen(number: number)
      do throws(FreshetError) {
        let resource = try await client.resource(specimen.request).value
        if resource.explanation.contains(.stored(.disk)) { kept.insert(number) }
        if try !resource.data().elementsEqual(specimen.body) {
          problems.append("\(number) is wrong")
        }
      } catch {
        problems.append("\(number): \(error)")
      }
      do throws(FreshetError) {
        try await models.save(Sample(number, length: 4_000))
        saved.insert(number)
      } catch {
        if error.kind != "store" { problems.append("model \(number): \(error)") }
      }
    }
    if kept.count == 200 || saved.count == 200 { problems.append("it was never full") }
    problems += await lost(kept, saved, store, models)
    _ = free()
    // What was refused for lack of space is taken now.
    for number in 201...206 {
      let resource = try await client.resource(Specimen(number: number).request).value
      if number > 203, !resource.explanation.contains(.stored(.disk)) {
        problems.append("\(number) is not kept although there is space: \(resource.explanation)")
      }
    }
    try await models.save(Sample(201, length: 4_000))
    problems += await lost(kept, saved, store, models)
    await store.close()
    await models.close()
    notebook.note(
      "\(name): \(kept.count) kept, \(saved.count) saved",
      count: 400,
      problems: problems
    )
  }

  /// Opens stores that were closed before other files took the last space.
  private func reopen(_ folder: URL) async throws {
    let numbers = Set(1...6)
    var store = DiskStore(directory: folder.appending(path: "store"))
    var models = ModelStore(directory: folder.appending(path: "models"))
    let client = Specimen.client(store)
    for number in numbers {
      _ = try await client.resource(Specimen(number: number).request).value
      try await models.save(Sample(number, length: 4_000))
    }
    await store.close()
    await models.close()
    try fillUp(folder.appending(path: "filler"))
    store = DiskStore(directory: folder.appending(path: "store"))
    models = ModelStore(directory: folder.appending(path: "models"))
    let problems = await lost(numbers, numbers, store, models)
    await store.close()
    await models.close()
    notebook.note("stores opened on a full file system", count: 12, problems: problems)
  }

  private func fillUp(_ file: URL) throws {
    let descriptor = open(file.path, O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { throw LabError("no filler: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    let bytes = [UInt8](repeating: 1, count: 4_096)
    for length in [bytes.count, 1] {
      while write(descriptor, bytes, length) > 0 {}
    }
    guard errno == ENOSPC else { throw LabError("it is not full") }
  }

  private func lost(
    _ kept: Set<Int>,
    _ saved: Set<Int>,
    _ store: DiskStore,
    _ models: ModelStore
  ) async -> [String] {
    var problems: [String] = []
    for number in kept {
      let specimen = Specimen(number: number)
      let found = await store.find(specimen.key, for: [:])
      if found == nil { problems.append("\(number) is lost") }
      if (try? specimen.isRight(found)) != true { problems.append("\(number) is wrong") }
    }
    for number in saved {
      let found = try? await models.model(Sample.self, id: number)
      if found != Sample(number, length: 4_000) { problems.append("model \(number) is lost") }
    }
    return problems
  }
}
#endif
