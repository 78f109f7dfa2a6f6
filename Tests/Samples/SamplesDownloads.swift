import Foundation
import Freshet

private func one(client: Client, url: URL, file: URL, digest: SHA256Checksum) async throws {
  let image = try await client.download(url, to: file, expecting: .sha256(digest)).value
  print(image.body.length, image.explanation)
}

private func isComplete(file: URL, digest: SHA256Checksum) throws -> Bool {
  let isComplete = try SHA256Checksum(contentsOf: file) == digest
  return isComplete
}

private func named(client: Client, url: URL, downloads: URL) async throws {
  let film = try await client.download(url, into: downloads).value
  print(film.body.fileURL?.lastPathComponent ?? "")
}

private struct Release {
  var url: URL
  var file: URL
  var digest: SHA256Checksum
}

private func many(client: Client, releases: [Release], list: URL) async throws -> BatchResult {
  let entries = releases.map { BatchEntry($0.url, to: $0.file, expecting: .sha256($0.digest)) }
  let journal = BatchJournal(at: list)
  let batch = try journal.remaining().map { client.batch($0) } ?? client.batch(entries)
  let result = try await batch.run(journal: journal).value
  return result
}

private func part(client: Client, url: URL) async throws {
  let archive = client.bytes(at: url)
  let head = try await archive.read(0..<4_096)
  print(try await archive.length, head.count)
}
