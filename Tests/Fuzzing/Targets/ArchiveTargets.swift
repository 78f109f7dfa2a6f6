import Foundation

@testable import Freshet

extension FuzzTarget {
  /// Files that others made: archives, manifests, and the seeds of the ancestors.
  static let archiveTargets: [FuzzTarget] = [
    FuzzTarget(
      "har",
      maximumLength: 512,
      words: [
        "{\"log\":{\"entries\":[", "\"request\":{\"method\":\"GET\",\"url\":\"https://a/\"}",
        "\"response\":{\"status\":200,", "\"content\":{\"text\":\"", "\"encoding\":\"base64\"",
        "\"headers\":[{\"name\":\"A\",\"value\":\"b\"}]", "9223372036854775807", "]}}",
      ],
      seeds: [
        "{\"log\":{\"entries\":[{\"request\":{\"method\":\"GET\",\"url\":\"https://a/?token=x\"},"
          + "\"response\":{\"status\":200,\"headers\":[{\"name\":\"Set-Cookie\",\"value\":\"s\"}],"
          + "\"content\":{\"text\":\"YQ==\",\"encoding\":\"base64\"}}}]}}"
      ],
      check: checkArchive
    ),
    FuzzTarget(
      "manifest",
      maximumLength: 512,
      words: [
        "\"format\":\"freshet-seeds\"", "\"version\":1", "\"file\":\"", "../", "\"sha256\":\"",
        "\"received\":\"2024-01-01T00:00:00Z\"", "\"length\":", "\"url\":\"https://a/\"",
      ],
      seeds: [manifestSeed],
      check: checkManifest
    ),
    FuzzTarget(
      "plist",
      maximumLength: 256,
      words: [
        "bplist00", "<plist>", "<dict>", "<key>", "</key>", "<date>", "2012-01-01T00:00:00Z",
        "</date>", "</dict>", "</plist>", "<array>", "</array>", "<!--", "-->", "<![CDATA[", "]]>",
        "<?", "?>", "<integer>", "</integer>", "encoding='",
      ],
      seeds: [
        "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key>"
          + "<date>2012-01-01T00:00:00Z</date></dict></plist>",
        "{ \"a\" = \"b\"; }",
      ],
      check: checkPropertyList
    ),
  ]
}

private let manifestSeed: String = {
  let entry = SeedManifest.Entry(
    url: "https://a/b",
    key: nil,
    status: 200,
    headers: ["ETag": "\"a\""],
    varying: ["accept": "b"],
    file: "b.json",
    length: 2,
    sha256: String(repeating: "0a", count: 32),
    received: Date(timeIntervalSince1970: 1_700_000_000),
    tags: ["t"]
  )
  let manifest = SeedManifest(seeds: [entry])
  return ((try? manifest.data()).map { String(decoding: $0, as: UTF8.self) }) ?? ""
}()

private func checkArchive(_ bytes: [UInt8]) throws {
  let data = Data(bytes)
  guard (try? ReplayTransport(data)) != nil else { return }
  let archive = try JSONDecoder().decode(HAR.self, from: data)
  for entry in archive.log.entries {
    _ = try? entry.transfer(for: Request(somewhere))
  }
  let again = try JSONEncoder().encode(archive)
  let read = try JSONDecoder().decode(HAR.self, from: again)
  try hold(read.log.entries.count == archive.log.entries.count, "an archive is another one")
}

private func checkManifest(_ bytes: [UInt8]) throws {
  guard let manifest = try? SeedManifest(Data(bytes)) else { return }
  let folder = URL(filePath: "/seeds", directoryHint: .isDirectory)
  for entry in manifest.seeds {
    if let place = SeedManifest.place(of: entry.file, in: folder) {
      try hold(place.deletingLastPathComponent().path == "/seeds", "a seed is in \(place.path)")
      try hold(place.lastPathComponent.utf8.elementsEqual(entry.file.utf8), "it is another file")
      try hold(place.standardizedFileURL.path == place.path, "a seed leads elsewhere")
    }
    if let head = entry.head {
      for field in head.headers {
        try hold(ASCII.isToken(field.name.rawValue), "a field's name is no token")
        try hold(
          field.value.utf8.allSatisfy { !ASCII.isControl($0) || $0 == 0x09 },
          "a field's value has a control character"
        )
      }
    }
    try hold(entry.cacheKey?.partition.isEmpty ?? true, "a seed is in a partition")
  }
  let data = try manifest.data()
  let again = try SeedManifest(data)
  try hold(again.seeds.count == manifest.seeds.count, "a manifest is another one")
  let second = try again.data()
  try hold(second.elementsEqual(data), "a manifest, written twice, is another one")
}

private func checkPropertyList(_ bytes: [UInt8]) throws {
  let response = Response(
    head: ResponseHead(status: .ok, headers: [:], url: somewhere),
    value: Data(bytes)
  )
  // It ends, in whatever way.
  _ = try? Decoding<JSONValue>.propertyList.value(of: response)
  _ = try? Decoding<[String: Int]>.propertyList.value(of: response)
  guard let dates = DockerSeeds.dates(Data(bytes)) else { return }
  for (name, date) in dates {
    _ = DockerSeeds.name(of: name)
    try hold(HTTPDate.format(date).utf8.count == 29, "a date has no form")
  }
}
