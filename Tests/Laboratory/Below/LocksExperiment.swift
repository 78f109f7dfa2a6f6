#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetModels
import TestSupport

/// Another process holds the lock of a store's database longer than anybody waits for it.
struct LocksExperiment {
  let bench: Bench
  let notebook: Notebook

  func run() async throws {
    try await lockDisk()
    try await lockModels()
  }

  /// A process that begins to write and does not end it.
  private func holder(_ folder: URL) async throws -> ServerProcess {
    let name = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .first { $0.hasSuffix(".sqlite") }
    guard let name else { throw LabError("no database in \(folder.path)") }
    let script = """
      import sqlite3, sys
      database = sqlite3.connect(sys.argv[1], isolation_level=None)
      database.execute("BEGIN IMMEDIATE")
      print(1, flush=True)
      sys.stdin.read()
      """
    return try await ServerProcess(
      "/usr/bin/env",
      ["python3", "-c", script, folder.appending(path: name).path]
    )
  }

  private func lockDisk() async throws {
    let folder = bench.folder("locked-disk")
    let store = DiskStore(directory: folder)
    let client = Specimen.client(store)
    for number in 1...3 { _ = try await client.resource(Specimen(number: number).request).value }
    let holder = try await holder(folder)
    var problems: [String] = []
    // What is there is found, and what is not is fetched; that it cannot be kept costs no answer.
    for number in 1...5 {
      let specimen = Specimen(number: number)
      let ending = await Operation.resource.run(specimen.request, with: client, seconds: 30)
      problems += Expectation.value(specimen.body).problems(with: ending)
        .map { "\(number): \(ending), \($0)" }
    }
    let removal = await Race.first(within: 30) { () async -> String in
      do throws(FreshetError) {
        try await store.remove(Specimen(number: 1).key)
        return "it was removed"
      } catch {
        return error.kind
      }
    }
    if removal != "store" { problems.append("removing: \(removal ?? "it hangs")") }
    holder.stop()
    problems += await afterwards(store, client)
    await store.close()
    notebook.note("a disk store whose database is locked", count: 7, problems: problems)
  }

  private func afterwards(_ store: DiskStore, _ client: Client) async -> [String] {
    var problems: [String] = []
    for number in [6, 7] {
      let specimen = Specimen(number: number)
      let ending = await Operation.resource.run(specimen.request, with: client, seconds: 30)
      problems += Expectation.value(specimen.body).problems(with: ending)
      if await store.find(specimen.key, for: [:]) == nil {
        problems.append("\(number) is not kept")
      }
    }
    for number in 2...3 where await store.find(Specimen(number: number).key, for: [:]) == nil {
      problems.append("\(number) is lost")
    }
    return problems
  }

  private func lockModels() async throws {
    let folder = bench.folder("locked-models")
    let store = ModelStore(directory: folder)
    try await store.save(Sample(1))
    // The first reading of a type makes what it needs; those behind it wait for nobody.
    _ = try await store.model(Sample.self, id: 1)
    let holder = try await holder(folder)
    var problems: [String] = []
    let saving = await Race.first(within: 30) { () async -> String in
      do throws(FreshetError) {
        try await store.save(Sample(2))
        return "it was saved"
      } catch {
        return error.kind
      }
    }
    if saving != "store" { problems.append("saving: \(saving ?? "it hangs")") }
    let found = await Race.first(within: 30) { try? await store.model(Sample.self, id: 1) }
    if found != Sample(1) { problems.append("reading: \(String(describing: found))") }
    holder.stop()
    do throws(FreshetError) {
      try await store.save(Sample(3))
      for number in [1, 3] where try await store.model(Sample.self, id: number) != Sample(number) {
        problems.append("\(number) is lost")
      }
      if try await store.model(Sample.self, id: 2) != nil { problems.append("2 is there") }
    } catch {
      problems.append("afterwards: \(error)")
    }
    await store.close()
    notebook.note("a model store whose database is locked", count: 4, problems: problems)
  }
}
#endif
