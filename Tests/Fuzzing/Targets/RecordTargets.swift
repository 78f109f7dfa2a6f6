import Foundation

@testable import Freshet
@testable import FreshetModels

extension FuzzTarget {
  /// What stores and batches have written, and somebody else may have changed.
  static let recordTargets: [FuzzTarget] = [
    FuzzTarget(
      "record",
      maximumLength: 160,
      isBinary: true,
      words: ["https://a/", "ETag", "\"x\"", "Cache-Control", "max-age=60", "Vary", "\u{1}"],
      seeds: [recordSeed],
      check: checkRecord
    ),
    FuzzTarget(
      "model-record",
      maximumLength: 96,
      words: ["a", "b"],
      seeds: ["\u{7F}", "a", "dtext"],
      check: checkModelRecord
    ),
    FuzzTarget(
      "partial",
      maximumLength: 320,
      words: [
        "\"version\":2", "\n5 ", "\"key\":", "\"headers\":[[\"ETag\",\"\\\"a\\\"\"]]", "1e400",
      ],
      seeds: [partialSeed],
      check: checkPartial
    ),
    FuzzTarget(
      "journal",
      maximumLength: 256,
      words: [
        "freshet batch 1\n", "{\"done\":0}\n", "\"index\":", "\"url\":\"https://a/\"", "\"need\":",
        "9223372036854775807", "\"limits\":[-1,-1,-1,-1]", "\"timeouts\":[", "\"redirects\":[-1,1]",
      ],
      seeds: [
        "freshet batch 1\n{\"item\":{\"index\":0,\"need\":5,\"request\":{\"url\":\"https://a/\"}}}\n"
          + "{\"done\":0}\n",
        "freshet batch 1\n{\"completed\":{\"url\":\"https://a/\",\"headers\":[[\"A\",\"b\"]]}}\n",
      ],
      check: checkJournal
    ),
    FuzzTarget(
      "plan",
      maximumLength: 256,
      words: [
        "\"index\":", "\"url\":\"https://a/\"", "\"need\":", "9223372036854775807", "\"none\"",
      ],
      seeds: [
        "{\"items\":[{\"index\":0,\"need\":9223372036854775807,\"request\":{\"url\":\"https://a/\"}},"
          + "{\"index\":1,\"need\":\"none\",\"request\":{\"url\":\"https://b/\"}}]}"
      ],
      check: checkPlan
    ),
  ]
}

private let recordSeed: String = {
  var writer = RecordWriter()
  writer.append(1)
  writer.append(200)
  writer.append(Date(timeIntervalSinceReferenceDate: 700_000_000))
  writer.append(Date(timeIntervalSinceReferenceDate: 700_000_001))
  writer.append("https://a/b")
  writer.append(2)
  for text in ["ETag", "\"x\"", "Cache-Control", "max-age=60"] { writer.append(text) }
  writer.append(1)
  writer.append("tag")
  writer.append(1)
  writer.append(5)
  writer.append(7)
  writer.append(Date(timeIntervalSinceReferenceDate: 700_000_000))
  return String(String.UnicodeScalarView(writer.bytes.map { Unicode.Scalar($0) }))
}()

private let partialSeed: String = {
  let head = ResponseHead(status: .ok, headers: ["ETag": "\"a\""], url: somewhere)
  let record = PartialRecord(
    key: CacheKey(Request(somewhere)),
    varying: .none,
    head: head,
    tags: ["t"],
    requestTime: Date(timeIntervalSinceReferenceDate: 1),
    responseTime: Date(timeIntervalSinceReferenceDate: 2)
  )
  let digest = String(repeating: "0a", count: 32)
  return String(decoding: record.line, as: UTF8.self) + "\n5 \(digest)\n"
}()

private func checkRecord(_ bytes: [UInt8]) throws {
  _ = bytes.withUnsafeBytes { DiskRecord.decodeVarying($0) }
  let key = CacheKey(Request(somewhere))
  guard let decoded = bytes.withUnsafeBytes({ DiskRecord.decode($0, key) }) else { return }
  let stored = decoded.copy(
    key: CacheKey(Request(decoded.head.url)),
    content: (ResourceBody(Data(bytes)), nil)
  )
  let again = DiskRecord.encode(stored)
  guard let read = again.withUnsafeBytes({ DiskRecord.decode($0, key) }) else {
    throw Broken("a record, written again, cannot be read")
  }
  let isSame = read.head.status == stored.head.status && read.tags == stored.tags
  let hidden = stored.head.headers.filter { !UnstoredFields.isSecret($0.name) }
  try hold(isSame && read.head.headers == HTTPHeaders(hidden), "a record is another one")
  try decide(stored)
}

/// Everything that is decided about a stored response, whatever its fields and times are.
private func decide(_ stored: StoredResponse) throws {
  let times = [0, 1_700_000_000, -1e300, 1e300, Double.nan]
  for now in times.map({ Date(timeIntervalSince1970: $0) }) {
    for headers: HTTPHeaders in [[:], ["Cache-Control": "max-stale", "Range": "bytes=1-"]] {
      var request = Request(stored.head.url)
      request.headers = headers
      let reuse = ReusePolicy.reuse(stored, for: request, now: now)
      try hold(!reuse.description.isEmpty, "a decision says nothing")
    }
  }
  let request = Request(stored.head.url)
  _ = StoragePolicy.storability(of: stored.head, for: request)
  _ = Validation.conditional(request, for: stored)
  _ = Validation.accepts(stored.head, for: stored)
  _ = StrongValidator(stored.head, receivedAt: stored.responseTime)
  _ = Resumption(request, stored.head, receivedAt: stored.responseTime, length: 5)?
    .verdict(on: stored.head)
  var range = request
  range.headers[.range] = "bytes=1-5"
  if let part = PartialAnswer.answer(range, from: stored) {
    try hold(part.body.length <= 5, "a part is longer than was asked for")
  }
}

private func checkModelRecord(_ bytes: [UInt8]) throws {
  let record = ModelRecord(bytes)
  guard let value = try? record.value() else { return }
  var writer = ModelRecordWriter()
  writer.write(value)
  guard let again = try? ModelRecord(writer.bytes).value() else {
    throw Broken("a record, written again, cannot be read")
  }
  var second = ModelRecordWriter()
  second.write(again)
  try hold(second.bytes == writer.bytes, "a record, written twice, is another one")
  _ = try? record.indexed(["a", "b"])
  let merge = ModelRecordMerge(
    stored: record,
    new: ModelRecord(writer.bytes),
    shape: [],
    path: []
  )
  _ = try? merge.merged()
}

private func checkPartial(_ bytes: [UInt8]) throws {
  guard let (record, checkpoints) = PartialRecord.read(Data(bytes)) else { return }
  try hold(checkpoints.allSatisfy { $0.length > 0 }, "a checkpoint is before the beginning")
  guard let head = record.head else { return }
  let stored = StoredResponse(
    key: CacheKey(text: record.key),
    varying: record.varyingFields,
    head: head,
    body: ResourceBody(Data()),
    requestTime: Date(timeIntervalSinceReferenceDate: record.requestTime),
    responseTime: record.received
  )
  try decide(stored)
  let name = PartialFolder.name(CacheKey(text: record.key))
  try hold(name.utf8.allSatisfy(ASCII.isHexDigit) && name.utf8.count == 64, "a key is a path")
}

private func checkJournal(_ bytes: [UInt8]) throws {
  guard let content = BatchJournal.content(of: Data(bytes)) else { return }
  try check(BatchPlan(Array(content.items.values)))
  for entry in content.completed { try check(entry.request) }
}

private func checkPlan(_ bytes: [UInt8]) throws {
  guard let plan = try? JSONDecoder().decode(BatchPlan.self, from: Data(bytes)) else { return }
  try check(plan)
  guard let data = try? JSONEncoder().encode(plan) else {
    throw Broken("a plan that was read cannot be written")
  }
  let again = try JSONDecoder().decode(BatchPlan.self, from: data)
  try hold(again.items.map(\.need) == plan.items.map(\.need), "a plan is another one")
  try hold(again.totals == plan.totals, "its totals are others")
}

private func check(_ plan: BatchPlan) throws {
  let totals = plan.totals
  try hold(totals.items == plan.items.count && totals.bytes >= 0, "its totals are wrong")
  var account = BatchAccount(now: .zero)
  for item in plan.items { account.offer(size: item.need.bytes) }
  account.close()
  for item in plan.items {
    account.start(item.index, offered: item.need.bytes, size: item.need.bytes)
    let progress = TransferProgress(completed: 1, total: item.need.bytes)
    account.advance(item.index, progress, now: .milliseconds(1_500))
    _ = account.progress(now: .seconds(2))
  }
  for item in plan.items { account.end(item.index, bytes: 1, failed: false, now: .seconds(3)) }
  let progress = account.progress(now: .seconds(4))
  try hold((0...1).contains(progress.fraction ?? 0), "it is more than done")
  for item in plan.items { try check(item.request) }
}

private func check(_ request: Request) throws {
  guard (try? request.validate()) != nil else { return }
  try hold(!request.headers.contains { $0.value.utf8.contains(0x0A) }, "a field is two")
}
