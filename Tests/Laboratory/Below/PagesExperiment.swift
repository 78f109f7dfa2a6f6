#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetModels
import FreshetTesting

/// A byte that has changed, at every offset of a small store's files, and every page.
struct PagesExperiment {
  let bench: Bench
  let notebook: Notebook
  private let numbers = 0..<9

  func run() async throws {
    try await damageDiskStore()
    try await damageModelStore()
  }

  private func damageDiskStore() async throws {
    let original = bench.folder("disk")
    let killed = bench.folder("disk of a killed process")
    let store = DiskStore(directory: original)
    for number in numbers {
      _ = try await Specimen.client(store).resource(Specimen(number: number).request).value
    }
    try FileManager.default.replace(killed, with: original)
    await store.close()
    try await damageLogs(killed) { try await diskProblems(in: $0) }
    for file in Census.files(in: original).sorted() {
      try await damage(original, file) { folder in
        try await diskProblems(in: folder)
      }
    }
  }

  private func damageModelStore() async throws {
    let original = bench.folder("models")
    let killed = bench.folder("models of a killed process")
    let store = ModelStore(directory: original)
    for number in numbers { try await store.save(Sample(number)) }
    try FileManager.default.replace(killed, with: original)
    await store.close()
    try await damageLogs(killed) { try await modelProblems(in: $0) }
    for file in Census.files(in: original).sorted() {
      try await damage(original, file) { folder in
        try await modelProblems(in: folder)
      }
    }
  }

  /// What a process that was killed leaves beside its database.
  private func damageLogs(_ original: URL, _ look: (URL) async throws -> [String]) async throws {
    // Each needs a recovery: hours for all of them, and too long for a short run.
    guard bench.options.isLong else { return }
    let logs = Census.files(in: original).filter { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }
    guard logs.contains(where: { $0.hasSuffix("-wal") }) else { throw LabError("no log: \(logs)") }
    for file in logs.sorted() { try await damage(original, file, look) }
  }

  /// Tries a copy of the folder with each damage to one of its files.
  private func damage(
    _ original: URL,
    _ file: String,
    _ look: (URL) async throws -> [String]
  ) async throws {
    let bytes = try Data(contentsOf: original.appending(path: file))
    let copy = bench.folder("copy")
    var (count, problems, generator) = (0, [String](), SeededGenerator(seed: 8))
    for (name, damaged) in damages(to: bytes, &generator) {
      try FileManager.default.replace(copy, with: original)
      try damaged.write(to: copy.appending(path: file))
      count += 1
      problems += try await look(copy).map { "\(file), \(name): \($0)" }
    }
    notebook.note(
      "damages to \(original.lastPathComponent)/\(file)",
      count: count,
      problems: problems
    )
  }

  private func damages(to bytes: Data, _ generator: inout SeededGenerator) -> [(String, Data)] {
    let stride = bench.options.isLong ? 1 : max(1, bytes.count / 60)
    var result: [(String, Data)] = []
    for offset in Swift.stride(from: 0, to: bytes.count, by: stride) {
      var damaged = bytes
      damaged[offset] ^= UInt8.random(in: 1...255, using: &generator)
      result.append(("byte \(offset)", damaged))
    }
    for page in Swift.stride(from: 0, to: bytes.count, by: 4_096) {
      var damaged = bytes
      for offset in page..<min(page + 4_096, bytes.count) {
        damaged[offset] = UInt8.random(in: 0...255, using: &generator)
      }
      result.append(("page at \(page)", damaged))
      result.append(("cut at \(page)", bytes.prefix(page)))
      result.append(("cut at \(page + 100)", bytes.prefix(page + 100)))
    }
    return result
  }

  /// What is found is right or nothing, and the store can be used.
  private func diskProblems(in folder: URL) async throws -> [String] {
    let store = DiskStore(directory: folder)
    var problems: [String] = []
    for number in numbers {
      let specimen = Specimen(number: number)
      do throws(FreshetError) {
        let found = await store.find(specimen.key, for: [:])
        if try !specimen.isRight(found) { problems.append("\(number) is another's") }
        let value = try await Specimen.client(store).resource(specimen.request).value
        if try !value.data().elementsEqual(specimen.body) { problems.append("\(number) is wrong") }
      } catch {
        problems.append("\(number): \(error)")
      }
    }
    do throws(FreshetError) {
      let new = Specimen(number: 99)
      _ = try await Specimen.client(store).resource(new.request).value
      if await store.find(new.key, for: [:]) == nil { problems.append("nothing is kept") }
      _ = try await store.verify()
      let damaged = try await store.verify().damaged
      if !damaged.isEmpty { problems.append("it is still damaged: \(damaged)") }
    } catch {
      problems.append("\(error)")
    }
    await store.close()
    return problems
  }

  /// What is read is right, nothing, or a typed failure; damage that is set aside leaves a store.
  private func modelProblems(in folder: URL) async throws -> [String] {
    let store = ModelStore(directory: folder)
    var problems: [String] = []
    for number in numbers {
      // A failure is as good as nothing here: it is typed. A letter of a text that has changed is not
      // found out: models have no digests.
      guard let model = try? await store.model(Sample.self, id: number) else { continue }
      if model.id != number { problems.append("model \(number) is \(model)") }
    }
    await store.close()
    var configuration = ModelStore.Configuration()
    configuration.damage = .setAside
    let other = ModelStore(directory: folder, configuration: configuration)
    for attempt in 0..<3 {
      do throws(FreshetError) {
        for number in numbers { try await other.save(Sample(number)) }
        guard try await other.model(Sample.self, id: 3) == Sample(3) else {
          problems.append("what was saved is not there")
          break
        }
        break
      } catch {
        if attempt == 2 { problems.append("it cannot be used again: \(error)") }
      }
    }
    await other.close()
    return problems
  }
}
#endif
