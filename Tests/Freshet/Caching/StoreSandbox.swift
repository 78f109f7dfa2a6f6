import Foundation
import Freshet
import Synchronization

/// A directory of a test's own, removed with the last reference to it.
final class StoreSandbox: Sendable {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("freshet-tests-\(UUID().uuidString)", isDirectory: true)
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The regular files below a folder, as paths relative to it, sorted.
  func files(in folder: String = "") -> [String] {
    let root = url.appendingPathComponent(folder)
    let names = FileManager.default.enumerator(atPath: root.path)?.allObjects as? [String] ?? []
    return names.sorted()
      .filter { name in
        var isDirectory: ObjCBool = false
        let path = root.appendingPathComponent(name).path
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
          && !isDirectory.boolValue
      }
  }
}

/// Gathers what a store says, and can be waited for.
final class Heard<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  var all: [Element] { elements.withLock { $0 } }

  func append(_ element: Element) {
    elements.withLock { $0.append(element) }
  }
}

extension StoredResponse {
  /// A response as a test needs it.
  static func sample(
    _ url: String = "https://example.org/logo.png",
    body: Data = Data("water".utf8),
    headers: HTTPHeaders = [.eTag: "\"1\"", .contentType: "text/plain"],
    request: HTTPHeaders = [:],
    partition: String = "",
    time: Double = 1_000,
    tags: Set<String> = []
  ) throws -> StoredResponse {
    try sample(
      url,
      body: ResourceBody(body),
      headers: headers,
      request: request,
      partition: partition,
      time: time,
      tags: tags
    )
  }

  static func sample(
    _ url: String = "https://example.org/logo.png",
    body: ResourceBody,
    headers: HTTPHeaders = [.eTag: "\"1\"", .contentType: "text/plain"],
    request: HTTPHeaders = [:],
    partition: String = "",
    time: Double = 1_000,
    tags: Set<String> = []
  ) throws -> StoredResponse {
    let wanted = try Request(.get, url)
    return StoredResponse(
      key: CacheKey(wanted, partition: partition),
      varying: VaryingFields(response: headers, request: request),
      head: ResponseHead(status: .ok, headers: headers, url: wanted.url),
      body: body,
      requestTime: Date(timeIntervalSinceReferenceDate: time - 1),
      responseTime: Date(timeIntervalSinceReferenceDate: time),
      tags: tags
    )
  }
}

extension CacheKey {
  static func sample(
    _ url: String = "https://example.org/logo.png",
    partition: String = ""
  ) throws -> CacheKey {
    CacheKey(try Request(.get, url), partition: partition)
  }
}

/// Bytes that compress badly and differ by seed.
func noise(_ count: Int, seed: UInt64 = 1) -> Data {
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  var data = Data(count: count)
  data.withUnsafeMutableBytes { bytes in
    for index in bytes.indices {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      bytes[index] = UInt8(truncatingIfNeeded: state)
    }
  }
  return data
}
