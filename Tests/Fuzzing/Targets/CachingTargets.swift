import Foundation

@testable import Freshet

extension FuzzTarget {
  /// What chooses among stored responses, and what decides about them.
  static let cachingTargets: [FuzzTarget] = [
    FuzzTarget(
      "vary",
      words: ["Accept", "authorization", "Cookie", "*", ", ", "Accept-Language"],
      seeds: [
        "Accept, Cookie\u{FF}a\u{FF}b", "*\u{FF}x", "authorization\u{FF}Bearer 1\u{FF}Bearer 2",
      ],
      check: checkVary
    ),
    FuzzTarget(
      "cache-key",
      maximumLength: 96,
      words: ["http://", "https://", ":443/", "#", "?", "%0A", "\n", "@"],
      seeds: ["https://A.example:443/b?c#d\u{FF}user", "http://h\u{FF}%0A\n%"],
      check: checkCacheKey
    ),
  ]
}

private func checkVary(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let vary = input.text()
  let (first, second) = (input.text(), input.text())
  let names = ["Accept", "Authorization", "Cookie", "Accept-Language"]
    .map {
      HTTPHeaders.Name($0)
    }
  let request = HTTPHeaders(names.map { HTTPHeaders.Field(name: $0, value: first) })
  let other = HTTPHeaders(names.map { HTTPHeaders.Field(name: $0, value: second) })
  let response: HTTPHeaders = ["Vary": vary]
  let fields = VaryingFields(response: response, request: request)
  try hold(fields.match(request), "a request does not match itself")
  try hold(fields.mismatches(request).isEmpty, "a request mismatches itself")
  try hold(fields.fields.contains { $0.name == "authorization" }, "credentials do not choose")
  let isSame = other.members(of: .authorization) == request.members(of: .authorization)
  try hold(fields.match(other) == isSame, "other credentials get the response")
  let record = DiskRecord.encode(fields)
  let read = record.withUnsafeBytes { DiskRecord.decodeVarying($0) }
  try hold(read == fields, "what chose, stored, is something else")
  let secret = fields.fields.first { $0.name == "authorization" }?.value
  try hold(secret?.utf8.count == 64, "a store holds a credential")
}

private func checkCacheKey(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let text = input.text()
  let partition = input.text()
  guard let request = try? Request(text) else { return }
  let key = CacheKey(request, partition: partition)
  try hold(key.partition.utf8.elementsEqual(partition.utf8), "a partition is another one")
  try hold(CacheKey(text: key.text) == key, "a key, read again, is another one")
  let own = CacheKey(request)
  try hold(key.own.utf8.elementsEqual(own.text.utf8), "a key's own text has its partition")
  try hold(key.moved(to: "") == own && own.moved(to: partition) == key, "it does not move")
  try hold(!own.text.utf8.contains(0x0A), "a URL holds a partition")
  guard let url = URL(string: own.text) else { throw Broken("a key is no URL") }
  try hold(CacheKey(Request(url)) == own, "a normal URL has another key")
}
