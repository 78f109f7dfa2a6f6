import Foundation

@testable import Freshet

extension FuzzTarget {
  /// Responses on their way to models, and the paths that lead to them.
  static let serviceTargets: [FuzzTarget] = [
    FuzzTarget(
      "router",
      words: ["/", "*", "**", "#", "users", "%2F", "%41", "..", "?", "12"],
      seeds: ["users/#/*\u{FF}/users/12/a", "a/**\u{FF}/a/b/c?d", "a%41\u{FF}/aA"],
      check: checkRouter
    ),
    FuzzTarget(
      "path",
      words: ["/", "..", ".", "%2e", ":id", "?", "#", "//", "%"],
      seeds: ["users/:id/x\u{FF}a/b", "a\u{FF}..", ":a/:b\u{FF}?\u{FF}#"],
      check: checkPath
    ),
    FuzzTarget(
      "payload-path",
      words: [".", "\\.", "\\\\", "data", "0"],
      seeds: ["data.items.0", "a\\.b.c", "\\\\"],
      check: checkPayloadPath
    ),
    FuzzTarget(
      "json",
      maximumLength: 96,
      words: ["{\"", "\":", "[", "]", "}", ",", "true", "null", "\\u0061", "\\\"", "1e5", "-"],
      seeds: ["a.0\u{FF}{\"a\":[1,{\"b\":null}]}", "a\u{FF}{\"\\u0061\":\"x\\\"y\"} "],
      check: checkJSON
    ),
    FuzzTarget(
      "json-strict",
      maximumLength: 64,
      words: ["{\"", "\":", "[", "]", "}", ",", "true", "null", "\\u0061", "\\\"", "1e5", "-"],
      seeds: ["{\"a\":[1,{\"b\":null}]}", "[true,false,null,-1.5e3,\"\\n\"]"],
      check: checkStrictJSON
    ),
    FuzzTarget(
      "cookies",
      maximumLength: 96,
      words: [
        "; ", "Domain=", "Path=/", "Max-Age=", "Expires=", "Secure", "HttpOnly", "__Host-",
        "a.example", "example", "Sun, 06 Nov 1994 08:49:37 GMT",
      ],
      seeds: [
        "a=b; Path=/; Secure; Max-Age=60", "__Host-a=b; Secure; Path=/",
        "a=b; Domain=.a.example; Expires=Sun, 06 Nov 2094 08:49:37 GMT",
      ],
      check: checkCookie
    ),
  ]
}

private func checkRouter(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let pattern = input.text()
  let place = input.text()
  guard let route = try? RoutePattern(pattern) else { return }
  var tree = RouteTree<Int>()
  tree[route.tokens].append(1)
  tree[[.rest]].append(2)
  guard let url = URL(string: "https://h/" + place) else { return }
  let isMatch = matches(route.tokens, url)
  let found = RoutePath.with(url) { path in tree.search(path) { $0.first } }
  try hold(isMatch == (found == 1) || route.tokens == [.rest], "the tree finds what does not match")
  if case .literal = route.tokens.first, !route.tokens.contains(where: { $0 == .rest }) {
    let literals = route.tokens.compactMap { token -> String? in
      if case .literal(let bytes) = token {
        PercentEncoding.url.encode(String(decoding: bytes, as: UTF8.self))
      } else {
        nil
      }
    }
    let isText = route.tokens.allSatisfy { token in
      if case .literal(let bytes) = token {
        String(validating: bytes, as: UTF8.self) != nil
      } else {
        false
      }
    }
    guard isText, let own = URL(string: "https://h/" + literals.joined(separator: "/")) else {
      return
    }
    try hold(matches(route.tokens, own), "a pattern does not match its own text")
  }
}

/// Compares a path with a single pattern, segment by segment.
private func matches(_ tokens: [RoutePattern.Token], _ url: URL) -> Bool {
  RoutePath.with(url) { path in
    if tokens == [.rest] { return true }
    guard tokens.last == .rest ? path.count >= tokens.count : path.count == tokens.count else {
      return false
    }
    return tokens.indices.allSatisfy { position in
      switch tokens[position] {
      case .literal(let key): path[position].elementsEqual(key)
      case .digits: path[position].allSatisfy(ASCII.isDigit)
      case .any, .rest: true
      }
    }
  } ?? false
}

private func checkPath(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let pattern = input.text()
  let value = input.text()
  let base = "https://h.example/api"
  let path: RequestPath = "users/\(value)/x"
  if let url = try? path.url(base: URL(string: base)) {
    let text = url.absoluteString
    try hold(text.hasPrefix("\(base)/users/") && text.hasSuffix("/x"), "a value leads to \(text)")
    try hold(text.utf8.count { $0 == UInt8(ascii: "/") } == 6, "a value is several segments")
    try hold(url.query == nil && url.fragment == nil, "a value is a query")
    let middle = Array(text.utf8.dropFirst(base.utf8.count + 7).dropLast(2))
    try hold(PercentEncoding.decoded(middle).elementsEqual(value.utf8), "a value is another one")
    try hold(URLComponents(string: text)?.path.isEmpty == false, "it is no URL")
    let standard = url.standardized.absoluteString
    try hold(standard == text, "a value climbs: \(standard)")
  } else {
    try hold(value.isEmpty || value == "." || value == "..", "“\(value)” is no segment")
  }
  guard let template = try? PathPattern(pattern), template.names.count == 1 else { return }
  struct Values: Encodable {
    let name: String
    let value: String
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode([name: value])
    }
  }
  _ = try? template.path(from: Values(name: template.names[0], value: value))
    .url(base: URL(string: base))
}

private func checkPayloadPath(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  let path = PayloadPath(input.text())
  _ = path.description
  var steps: [String] = []
  while !input.isEmpty { steps.append(input.text()) }
  let isNumbered = steps.contains { ASCII.integer($0) != nil }
  guard !steps.isEmpty, !isNumbered, !steps.allSatisfy(\.isEmpty) else { return }
  // A leading empty step is not printed.
  guard steps.first?.isEmpty == false else { return }
  let shown = PayloadPath(steps: steps).description
  let again = PayloadPath(shown).steps
  let isSame =
    again.count == steps.count
    && zip(again, steps)
      .allSatisfy {
        $0.utf8.elementsEqual($1.utf8)
      }
  try hold(isSame, "\(steps) is printed as \(shown), which is \(again)")
}

private func checkJSON(_ bytes: [UInt8]) throws {
  var input = InputBytes(bytes)
  // An app writes the path, which is short.
  let path = PayloadPath(String(input.text().prefix(32)))
  let data = Data(input.all())
  do {
    let whole = try JSONScanner.range(of: PayloadPath(), in: data)
    guard let range = try JSONScanner.range(of: path, in: data), let whole else { return }
    try hold(range.lowerBound >= whole.lowerBound, "a payload begins before its envelope")
    try hold(range.upperBound <= whole.upperBound, "a payload ends after its envelope")
    let payload = Data(data[range])
    try hold(try JSONScanner.range(of: PayloadPath(), in: payload) != nil, "it is no value")
    if let count = try JSONScanner.elementCount(in: payload) {
      try hold(count <= payload.count / 2, "there are more elements than bytes")
    }
  } catch let fault as JSONScanner.Fault {
    try hold((0...data.count).contains(fault.offset), "the fault is outside")
    try hold(!fault.reason.isEmpty, "the fault has no reason")
  }
  let excerpt = Excerpt(data).text(at: path)
  try hold(excerpt.utf8.count <= 20 * Excerpt.length, "an excerpt is the whole")
}

private func checkStrictJSON(_ bytes: [UInt8]) throws {
  let data = Data(bytes)
  guard let value = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
  else { return }
  if String(validating: bytes, as: UTF8.self) == nil || bytes.contains(0) { return }
  // Foundation takes a comma behind the last element, which is no JSON.
  let dense = bytes.filter { $0 > 0x20 }
  let commas = zip(dense, dense.dropFirst())
    .contains { ",".utf8.contains($0) && "]}".utf8.contains($1) }
  if commas { return }
  try hold(JSONScanner.fault(in: data) == nil, "what is JSON is said to be none")
  if let object = value as? [String: Any], let key = object.keys.first {
    let range = try JSONScanner.range(of: PayloadPath(steps: [key]), in: data)
    try hold(range != nil, "a member is not found")
  }
  if let array = value as? [Any] {
    let count = try JSONScanner.elementCount(in: data)
    try hold(count == array.count, "it has other elements")
  }
}

private func checkCookie(_ bytes: [UInt8]) throws {
  let text = String(decoding: bytes, as: UTF8.self)
  let now = Date(timeIntervalSince1970: 1_700_000_000)
  let addresses = [
    "https://a.example.org/d/f", "http://a.example.org/d/f", "http://127.0.0.1/x",
    "https://evil.com./",
  ]
  for address in addresses {
    guard let url = URL(string: address), let place = Cookie.Place(url) else { continue }
    let cookie = Cookie(text, from: place, now: now, isPublicSuffix: CookieJar.isUsualSuffix)
    guard let cookie else { continue }
    let bytes = Array(cookie.name.utf8) + Array(cookie.value.utf8)
    try hold(!bytes.contains { $0 == UInt8(ascii: ";") }, "a cookie is two")
    try hold(!bytes.contains { ASCII.isControl($0) && $0 != 0x09 }, "a cookie is another field")
    try hold(!cookie.name.utf8.contains(UInt8(ascii: "=")), "a name has a value")
    let isInside = place.host == cookie.domain || place.host.hasSuffix("." + cookie.domain)
    try hold(isInside, "a cookie is for \(cookie.domain)")
    let isForAll = CookieJar.isPublicSuffix(cookie.domain, by: nil)
    try hold(cookie.isHostOnly || !isForAll, "it is for all")
    try hold(place.isSecure || !cookie.isSecure, "http has set a secure cookie")
    try hold(cookie.path.utf8.first == UInt8(ascii: "/"), "its path is no path")
    let jar = CookieJar([], now: { now })
    jar.store(from: ResponseHead(status: .ok, headers: ["Set-Cookie": text], url: url))
    guard let field = jar.field(for: url), !cookie.value.isEmpty else { continue }
    try hold(
      field.utf8.elementsEqual("\(cookie.name)=\(cookie.value)".utf8),
      "it is sent as \(field)"
    )
  }
}
