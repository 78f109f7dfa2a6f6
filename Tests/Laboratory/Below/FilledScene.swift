#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetTesting

/// What is done with a store that has something in it, part of that in its write-ahead log.
enum FilledScene {
  static let numbers = [1, 3, 4, 6]

  private static let large = GeneratedBytes(length: 3 << 20, seed: 5).bytes(in: 0..<(3 << 20))

  /// A store as a process leaves it that is killed.
  static func fill(_ folder: URL) async throws {
    let origin = folder.appending(path: "origin")
    let store = DiskStore(directory: origin)
    let client = Specimen.client(store)
    for number in numbers {
      _ = try await client.resource(Specimen(number: number).request).value
    }
    try FileManager.default.replace(folder.appending(path: "store"), with: origin)
    await store.close()
    try FileManager.default.removeItem(at: origin)
    guard Census.files(in: folder).contains(where: { $0.hasSuffix("-wal") }) else {
      throw LabError("no write-ahead log in \(Census.files(in: folder))")
    }
  }

  static func seed(_ folder: URL) async throws {
    let origin = folder.appending(path: "origin")
    let store = DiskStore(directory: origin)
    let client = Specimen.client(store)
    var builder = try SeedBuilder(directory: folder.appending(path: "seeds"))
    for number in numbers {
      let specimen = Specimen(number: number)
      _ = try await client.resource(specimen.request).value
      guard let found = await store.find(specimen.key, for: [:]) else {
        throw LabError("\(number) is not stored")
      }
      _ = try builder.add(found)
    }
    try builder.write()
    await store.close()
    try FileManager.default.removeItem(at: origin)
  }

  /// Looks at everything while calls fail: what is found out to be damaged then was not.
  static func verify(_ folder: URL, _ endFailures: @Sendable () -> Void) async -> [String] {
    let place = folder.appending(path: "store")
    var problems: [String] = []
    let store = DiskStore(directory: place)
    do throws(FreshetError) {
      _ = try await store.verify()
    } catch {
      if !["store", "file"].contains(error.kind) { problems.append("\(error)") }
    }
    await store.close()
    endFailures()
    return problems + (await look(place))
  }

  /// Reads seeds while calls fail, and copies them into a store.
  static func copySeeds(_ folder: URL, _ endFailures: @Sendable () -> Void) async -> [String] {
    let place = folder.appending(path: "seeds")
    var problems: [String] = []
    let seeds = SeedStore(directory: place)
    for number in numbers {
      let specimen = Specimen(number: number)
      if (try? specimen.isRight(await seeds.find(specimen.key, for: [:]))) == false {
        problems.append("seed \(number) is wrong")
      }
    }
    let store = DiskStore(directory: folder.appending(path: "store"))
    let copied = (try? await seeds.copy(into: store)) ?? 0
    await store.close()
    endFailures()
    let again = DiskStore(directory: folder.appending(path: "store"))
    var found = 0
    for number in numbers {
      let response = await again.find(Specimen(number: number).key, for: [:])
      if response != nil { found += 1 }
      if (try? Specimen(number: number).isRight(response)) != true {
        problems.append("\(number) is wrong")
      }
    }
    if found < copied { problems.append("\(found) of \(copied) are there") }
    await again.close()
    let fresh = SeedStore(directory: place)
    for number in numbers where await fresh.find(Specimen(number: number).key, for: [:]) == nil {
      problems.append("seed \(number) is lost")
    }
    return problems
  }

  /// A download that breaks in its middle and goes on.
  static func resume(_ folder: URL, _ endFailures: @Sendable () -> Void) async -> [String] {
    let body = large
    let url = URL(string: "http://origin.test/large") ?? folder
    let client = { (store: DiskStore) in
      Client {
        $0.transport = breaking(body)
        $0.disk = store
        $0.memory = nil
        $0.memoryThreshold = 1_000
      }
    }
    var problems: [String] = []
    let store = DiskStore(directory: folder.appending(path: "store"))
    do throws(FreshetError) {
      let resource = try await client(store).resource(Request(.get, url)).value
      if try !resource.data().elementsEqual(body) { problems.append("it is wrong") }
    } catch {
      if !["file", "connection"].contains(error.kind) { problems.append("\(error)") }
    }
    await store.close()
    endFailures()
    let again = DiskStore(directory: folder.appending(path: "store"))
    do throws(FreshetError) {
      let resource = try await client(again).resource(Request(.get, url)).value
      if try !resource.data().elementsEqual(body) { problems.append("it is wrong afterwards") }
      let damaged = try await again.verify().damaged
      if !damaged.isEmpty { problems.append("damaged: \(damaged)") }
    } catch {
      problems.append("afterwards: \(error)")
    }
    await again.close()
    return problems
  }

  /// Breaks whole bodies in their middle, and sends the rest to who asks for that.
  private static func breaking(_ body: Data) -> ScriptedTransport {
    ScriptedTransport { request in
      let fields: HTTPHeaders = [.eTag: "\"1\"", .cacheControl: "max-age=60"]
      let range = request.headers[.range]?.dropFirst("bytes=".count).dropLast()
      if let start = range.flatMap({ Int($0) }), start < body.count {
        let place: HTTPHeaders = [
          .contentRange: "bytes \(start)-\(body.count - 1)/\(body.count)",
          .contentLength: "\(body.count - start)",
        ]
        return ScriptedResponse(206, headers: fields.merging(place), body: body[start...])
      }
      let chunks = stride(from: 0, to: 2 << 20, by: 1 << 18).map { body[$0..<($0 + (1 << 18))] }
      return ScriptedResponse(
        headers: fields.merging([.contentLength: "\(body.count)"]),
        chunks: chunks
      )
      .failing(with: .connection(.lost, url: ""), at: .afterChunks(chunks.count))
    }
  }

  /// Everything is there, and right.
  private static func look(_ place: URL) async -> [String] {
    var problems: [String] = []
    let store = DiskStore(directory: place)
    for number in numbers {
      let found = await store.find(Specimen(number: number).key, for: [:])
      if found == nil { problems.append("\(number) is lost") }
      if (try? Specimen(number: number).isRight(found)) != true {
        problems.append("\(number) is wrong")
      }
    }
    await store.close()
    return problems
  }
}
#endif
