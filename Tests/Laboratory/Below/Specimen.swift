#if !canImport(Darwin)
import Foundation
import Freshet
import FreshetModels
import FreshetTesting

/// A resource whose bytes follow from its number; the scripted origin that serves all of them.
struct Specimen: Sendable {
  let number: Int

  /// Every third is large enough for a file.
  var body: Data { Self.first.indices.contains(number) ? Self.first[number] : made }

  private var made: Data {
    let length: Int64 = number % 3 == 0 ? 30_000 : 200 + Int64(number)
    return GeneratedBytes(length: length, seed: UInt64(number)).bytes(in: 0..<length)
  }

  /// Those that are asked for again and again, which a debug build makes slowly.
  private static let first = (0..<20).map { Specimen(number: $0).made }

  var url: URL { URL(string: "http://origin.test/\(number)") ?? URL(filePath: "/") }

  var request: Request { Request(.get, url) }

  var key: CacheKey { CacheKey(request) }

  static let origin = ScriptedTransport { request in
    guard let number = Int(request.url.lastPathComponent) else { return ScriptedResponse(404) }
    let headers: HTTPHeaders = [.eTag: "\"\(number)\"", .cacheControl: "max-age=60"]
    guard request.headers[.ifNoneMatch] == nil else {
      return ScriptedResponse(304, headers: headers)
    }
    return ScriptedResponse(headers: headers, body: Specimen(number: number).body)
  }

  /// A client without a memory of its own, so that each question reaches the disk.
  static func client(
    _ disk: DiskStore,
    now: @escaping @Sendable () -> Date = { Date() }
  ) -> Client {
    Client {
      $0.transport = origin
      $0.disk = disk
      $0.memory = nil
      $0.memoryThreshold = 1_000
      $0.now = now
    }
  }

  /// Whether what a store has found is right; nothing is right too.
  func isRight(_ found: StoredResponse?) throws(FreshetError) -> Bool {
    guard let found else { return true }
    return try found.body.data().elementsEqual(body)
  }
}

/// A model whose content follows from its number.
struct Sample: PersistableModel, Equatable {
  static let modelName = "Sample"

  let id: Int
  var name: String

  init(_ number: Int, length: Int = 40) {
    id = number
    name = String(repeating: "sample \(number) ", count: length / 8)
  }
}

extension FileManager {
  /// Makes a copy in the place of whatever is there.
  func replace(_ target: URL, with source: URL) throws {
    try? removeItem(at: target)
    try copyItem(at: source, to: target)
  }
}
#endif
