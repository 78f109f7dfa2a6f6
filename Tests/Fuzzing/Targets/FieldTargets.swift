import Foundation

@testable import Freshet

extension FuzzTarget {
  /// Header fields on their own.
  static let fieldTargets: [FuzzTarget] = [
    FuzzTarget(
      "cache-control",
      words: [
        "max-age=", "no-cache", "no-cache=\"", "no-store", "s-maxage", "private", "must-revalidate",
        "stale-while-revalidate=", "stale-if-error=", "max-stale", "min-fresh=", "immutable", ", ",
        "\"", "\\\"",
      ],
      seeds: ["max-age=60, no-cache=\"a, b\"", "no-store, max-age=\"5\", private"],
      check: checkCacheControl
    ),
    FuzzTarget(
      "dates",
      words: ["Sun, ", "Sunday, ", "Nov", " GMT", "-Nov-", "1994", ":"],
      seeds: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
      ],
      check: checkDates
    ),
    FuzzTarget(
      "ranges",
      words: ["bytes=", "bytes ", "-", "/", "*", "9223372036854775807", "0-"],
      seeds: ["bytes=0-499", "bytes=-500", "bytes 0-499/1234", "bytes */1234", "bytes 5-9/*"],
      check: checkRanges
    ),
    FuzzTarget(
      "link",
      words: ["<", ">", "; rel=", "\"next\"", ", ", "anchor=", "rel=\"next last\""],
      seeds: ["<https://a/?p=2>; rel=\"next\", </3>; rel=last", "<a>;rel=next;anchor=\"#x\""],
      check: checkLinks
    ),
    FuzzTarget(
      "etag",
      words: ["W/", "\"", "\"\""],
      seeds: ["\"abc\"", "W/\"abc\"", "abc"],
      check: checkEntityTag
    ),
    FuzzTarget(
      "digest",
      maximumLength: 128,
      words: ["sha-256=:", "sha-512=:", ":", ", ", ";"],
      seeds: [
        "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", "md5=:AA==:, sha-256=:AA:",
      ],
      check: checkDigests
    ),
    FuzzTarget(
      "retry-after",
      words: ["120", "Sun, 06 Nov 1994 08:49:37 GMT"],
      seeds: ["120", "Sun, 06 Nov 1994 08:49:37 GMT", "9223372036854775807"],
      check: checkRetryAfter
    ),
    FuzzTarget(
      "media-type",
      words: ["application/", "text/", "; charset=", "; boundary=\"", "\"", "/*", "+json"],
      seeds: ["text/html; charset=\"utf-8\"", "application/problem+json;q=1"],
      check: checkMediaType
    ),
    FuzzTarget(
      "challenge",
      words: [
        "Bearer ", "realm=\"", "error=", "\"invalid_token\"", ", ", "Basic", "Digest ", "nonce=\"",
        "qop=\"auth,auth-int\"", "algorithm=SHA-256-sess", "Negotiate YII=",
      ],
      seeds: [
        "Bearer realm=\"a\", error=\"invalid_token\", Basic realm=x",
        "Negotiate YII=, Digest realm=\"a, b\", nonce=\"n\\\"\", qop=\"auth\", stale=true",
      ],
      check: checkChallenge
    ),
  ]
}

private func checkCacheControl(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let (first, second) = (input.text(), input.text())
  var both = CacheControl()
  both.add(first)
  both.add(second)
  var one = CacheControl()
  one.add(first)
  try hold(both.flags.isSuperset(of: one.flags), "a line took back what another said")
  if !first.utf8.contains(ASCII.quote) {
    var joined = CacheControl()
    joined.add("\(first),\(second)")
    try hold(joined == both, "one line is not what two are")
  }
  var twice = both
  twice.add(first)
  twice.noCacheFields = both.noCacheFields
  try hold(twice == both, "saying it twice changes it")
  let numbers = [
    both.maxAge, both.maxStale, both.minFresh, both.staleIfError, both.staleWhileRevalidate,
  ]
  try hold(
    numbers.allSatisfy { $0.map { (0...DeltaSeconds.infinite).contains($0) } ?? true },
    "a number of seconds is out of bounds"
  )
  try hold(both.noCacheFields.allSatisfy { ASCII.isToken($0) }, "a field's name is no token")
}

private func checkDates(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  var input = InputBytes(bytes)
  let any = Date(timeIntervalSince1970: Double(bitPattern: input.number()))
  // Whatever the clock says.
  _ = HTTPDate.parse(text, now: any)
  try hold(HTTPDate.format(any).utf8.count == 29, "a date is not 29 characters long")
  let now = Date(timeIntervalSince1970: 1_700_000_000)
  for date in [HTTPDate.parse(text, now: now), CookieDate.parse(text)] {
    guard let date else { continue }
    let shown = HTTPDate.format(date)
    try hold(HTTPDate.parse(shown, now: now) == date, "\(shown) is another date")
    if date.timeIntervalSince1970 >= -11_644_473_600, !text.contains(":60") {
      try hold(CookieDate.parse(shown) == date, "\(shown) is another date to cookies")
    }
  }
}

private func checkRanges(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  var input = InputBytes(bytes)
  let length = Int64(bitPattern: input.number())
  if let range = ByteRange(text) {
    try hold(ByteRange(range.description) == range, "\(range) is another range")
    for length in [length, length & 0xFFFF, 0, 1, .max] {
      guard let positions = range.positions(in: length) else { continue }
      try hold(
        positions.lowerBound >= 0 && positions.upperBound <= length && !positions.isEmpty,
        "\(positions) are not within \(length)"
      )
    }
  }
  for range in [ByteRange.from(length), .last(length)] {
    _ = range.positions(in: Int64(bitPattern: input.number()))
  }
  if let part = ContentRange(text) {
    try hold(ContentRange(part.description) == part, "\(part) is another part")
    if let range = part.range {
      try hold(range.lowerBound >= 0, "it begins before the beginning")
      try hold(range.upperBound < part.total ?? .max, "it ends after the whole")
    } else {
      try hold(part.total != nil, "it says nothing")
    }
  }
}

private func checkLinks(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let links = Link.links(in: text)
  let opened = text.utf8.count { $0 == UInt8(ascii: "<") }
  try hold(links.count <= opened, "there are more links than were begun")
  for link in links {
    try hold(!link.target.utf8.contains(UInt8(ascii: ">")), "a target goes past its end")
    try hold(text.utf8.count >= link.target.utf8.count + 2, "a target is longer than the field")
  }
  let shown =
    links.map { link in
      let plain = link.relations.joined(separator: " ").unicodeScalars
        .filter { $0 != "\"" && $0 != "\\" }
      let relations = String(String.UnicodeScalarView(plain))
      return "<\(link.target)>; rel=\"\(relations)\""
    }
    .joined(separator: ", ")
  let again = Link.links(in: shown)
  try hold(again.map(\.target) == links.map(\.target), "the links, printed, are others")
}

private func checkEntityTag(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  guard let tag = EntityTag(text) else { return }
  try hold(tag.description.utf8.elementsEqual(text.utf8), "a tag is printed as another one")
  try hold(EntityTag(tag.description) == tag, "a tag, printed, is another one")
  try hold(tag.matchesWeakly(tag) && tag.matchesStrongly(tag) != tag.isWeak, "it is not itself")
}

private func checkDigests(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let head = ResponseHead(
    status: .ok,
    headers: ["Repr-Digest": text, "Content-Digest": text],
    url: somewhere
  )
  for expectation in DigestFields(whole: head).expectations {
    let count = expectation.algorithm == .sha256 ? 32 : 64
    try hold(expectation.digest.count == count, "a digest has another length")
    let name = expectation.algorithm == .sha256 ? "sha-256" : "sha-512"
    let shown = "\(name)=:\(expectation.digest.base64EncodedString()):"
    let again = ResponseHead(status: .ok, headers: ["Repr-Digest": shown], url: somewhere)
    try hold(
      DigestFields(whole: again).expectations == [expectation],
      "a digest, printed, is another one"
    )
  }
  if let digest = SHA256Checksum(hex: text) {
    try hold(digest.hex == text.lowercased(), "a digest in hexadecimal is another one")
  }
}

private func checkRetryAfter(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let now = Date(timeIntervalSince1970: Double(bitPattern: input.number()))
  for text in [String(decoding: bytes, as: UTF8.self), input.text()] {
    for headers: HTTPHeaders in [
      ["Retry-After": text], ["Retry-After": text, "Date": "Sun, 06 Nov 1994 08:49:37 GMT"],
    ] {
      let head = ResponseHead(status: 503, headers: headers, url: somewhere)
      guard let pause = head.retryAfter(now: now) else { continue }
      try hold(pause >= .zero, "it is to be sent in the past")
      let decision = RetryPolicy()
        .decision(
          for: Request(somewhere),
          attempt: 1,
          outcome: .answered(head),
          elapsed: .zero,
          now: now,
          jitter: 0.5
        )
      if case .after(let delay) = decision {
        try hold(delay >= pause, "it is sent sooner than the server asked for")
      }
    }
  }
}

private func checkMediaType(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  guard let type = MediaType(text), type.isValid else { return }
  try hold(MediaType(type.description) == type, "\(type) is another type")
  try hold(type.matches("*/*"), "it is no type at all")
  let names = type.parameters.map(\.name)
  guard Set(names).count == names.count else { return }
  try hold(type.matches(type) || type.type == "*", "it is not itself")
}

private func checkChallenge(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let challenges = Challenge.all(in: ["WWW-Authenticate": text])
  let members = FieldList.members(of: text)
  try hold(challenges.count <= members.count, "there are more challenges than members")
  let joined = FieldList.members(of: members.joined(separator: ", "))
  try hold(joined == members, "the members of a list, joined, are others")
  for challenge in challenges {
    try hold(ASCII.isToken(challenge.scheme), "a scheme is no token")
    try hold(challenge.parameters.keys.allSatisfy(ASCII.isToken), "a name is no token")
    try hold(challenge.token == nil || challenge.parameters.isEmpty || members.count > 1, "both")
    try checkDigestAnswer(challenge)
  }
}

/// The answer to whatever challenge is one challenge's form, and shows no password.
private func checkDigestAnswer(_ challenge: Challenge) throws {
  guard let digest = DigestChallenge(challenge) else { return }
  let answer = DigestAnswer(
    challenge: digest,
    user: digest.realm,
    password: "pass\u{1}word",
    count: 1,
    session: DigestSession(digest)
  )
  let field = answer.field(.get, "/")
  try hold(!field.contains("pass\u{1}word"), "the password is shown")
  let read = Challenge.all(in: ["Authorization": field], of: "Authorization")
  try hold(read.count == 1, "an answer is several")
  let parameters = read.first?.parameters ?? [:]
  try hold(parameters["realm"] == digest.realm, "the realm is another one")
  try hold(parameters["nonce"] == digest.nonce, "the nonce is another one")
}

/// A place whose name does not matter.
let somewhere = URL(filePath: "/").relativeTo()

extension URL {
  /// `https://a.example/`, without a force unwrap.
  fileprivate func relativeTo() -> URL {
    URL(string: "https://a.example/d/f?q") ?? self
  }
}
