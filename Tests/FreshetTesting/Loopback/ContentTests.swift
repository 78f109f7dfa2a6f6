import Foundation
import Freshet
import FreshetTesting
import TestSupport
import Testing

@Suite struct ContentTests {
  private let server: LoopbackServer
  private let client: RawConnection

  init() throws {
    server = try LoopbackServer([
      "/x": .content(
        Data("0123456789".utf8),
        type: "text/plain",
        eTag: "\"v1\"",
        lastModified: Date(timeIntervalSince1970: 784_111_777.5),
        cacheControl: "max-age=60",
        headers: [.expires: "0", "Content-Language": "en"]
      ),
      "/weak": .content(Data("0123456789".utf8), eTag: "W/\"v1\""),
      "/gzip": .content(Data("0123456789".utf8), eTag: "\"v1\"").gzipped(),
      "/gzip/fields":
        .content(
          Data("0123456789".utf8),
          eTag: "\"v1\"",
          headers: [
            .vary: "Origin", "Content-Language": "en", "Content-Location": "/x.en",
            "Content-Security-Policy": "default-src 'none'",
          ]
        )
        .gzipped(),
      "/film": .generated(GeneratedBytes(length: 2 << 30, seed: 3), eTag: "\"f\""),
    ])
    client = RawConnection(to: server.port)
  }

  @Test func `describes itself`() {
    let response = client.get("/x")

    #expect(response.status == 200)
    #expect(response["Content-Type"] == "text/plain")
    #expect(response["ETag"] == "\"v1\"")
    #expect(response["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(response["Cache-Control"] == "max-age=60")
    #expect(response["Accept-Ranges"] == "bytes")
    #expect(response["Content-Language"] == "en")
    #expect(response.text == "0123456789")
  }

  @Test(arguments: [
    "If-None-Match: \"v1\"", "If-None-Match: W/\"v1\"", "If-None-Match: *",
    "If-None-Match: \"a,b\", \"v1\"",
    "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT",
    "If-Modified-Since: Sun, 06 Nov 1994 08:49:38 GMT",
  ])
  func `reports unchanged content`(condition: String) {
    let response = client.get("/x", condition)

    #expect(response.statusLine == "HTTP/1.1 304 Not Modified")
    #expect(response["ETag"] == "\"v1\"")
    #expect(response["Cache-Control"] == "max-age=60")
    #expect(response["Expires"] == "0")
    #expect(response["Date"] != nil)
    #expect(response["Content-Type"] == nil)
    #expect(response["Content-Length"] == nil)
    #expect(response["Content-Language"] == nil)
  }

  @Test(arguments: [
    "If-None-Match: \"v2\"", "If-None-Match: v1", "If-None-Match: \"v1,v2\"",
    "If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT", "If-Modified-Since: yesterday",
  ])
  func `sends changed content`(condition: String) {
    #expect(client.get("/x", condition).text == "0123456789")
  }

  @Test func `ignores a date beside an entity tag`() {
    let response = client.get(
      "/x",
      "If-None-Match: \"v2\"",
      "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"
    )

    #expect(response.status == 200)
  }

  @Test func `a strong condition wants the same tag`() {
    #expect(client.get("/x", "If-Match: \"v0\", \"v1\"").status == 200)
    #expect(client.get("/x", "If-Match: *").status == 200)
    #expect(client.get("/x", "If-Match: W/\"v1\"").status == 412)
    #expect(client.get("/weak", "If-Match: W/\"v1\"").status == 412)
  }

  @Test(arguments: [
    ("bytes=0-3", "0123", "bytes 0-3/10"), ("bytes=7-", "789", "bytes 7-9/10"),
    ("bytes=-2", "89", "bytes 8-9/10"), ("bytes=-20", "0123456789", "bytes 0-9/10"),
    ("bytes=8-99999999999999999999", "89", "bytes 8-9/10"), ("bytes=0-0", "0", "bytes 0-0/10"),
  ])
  func `sends a part`(range: String, body: String, contentRange: String) {
    let response = client.get("/x", "Range: \(range)")

    #expect(response.statusLine == "HTTP/1.1 206 Partial Content")
    #expect(response["Content-Range"] == contentRange)
    #expect(response["ETag"] == "\"v1\"")
    #expect(response.text == body)
  }

  @Test(arguments: ["bytes=10-", "bytes=10-20", "bytes=-0"])
  func `refuses a part that does not exist`(range: String) {
    let response = client.get("/x", "Range: \(range)")

    #expect(response.status == 416)
    #expect(response["Content-Range"] == "bytes */10")
  }

  @Test(arguments: [
    "bytes=0-1,3-4", "bytes=3-2", "bytes=", "bytes=-", "bytes=a-b", "lines=1-2", "bytes 0-1",
    "bytes=+1-2",
  ])
  func `sends everything for a range that it does not understand`(range: String) {
    let response = client.get("/x", "Range: \(range)")

    #expect(response.status == 200)
    #expect(response.text == "0123456789")
  }

  @Test(arguments: [
    ("\"v1\"", 206), ("\"v2\"", 200), ("W/\"v1\"", 200),
    ("Sun, 06 Nov 1994 08:49:37 GMT", 206), ("Sun, 06 Nov 1994 08:49:38 GMT", 200),
  ])
  func `a range can depend on the version`(condition: String, status: Int) {
    #expect(client.get("/x", "Range: bytes=0-1", "If-Range: \(condition)").status == status)
  }

  @Test func `a weak tag never allows a range by condition`() {
    #expect(client.get("/weak", "Range: bytes=0-1", "If-Range: W/\"v1\"").status == 200)
  }

  @Test func `HEAD ignores ranges, other methods are not allowed`() {
    client.write("HEAD /x HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\n\r\n")
    #expect(client.readResponseHead().status == 200)
    client.write("DELETE /x HTTP/1.1\r\nHost: x\r\n\r\n")
    let response = client.readResponse()
    #expect(response.status == 405)
    #expect(response["Allow"] == "GET, HEAD")
  }

  @Test(arguments: ["gzip", "br, GZIP;q=0.5", "*", "deflate, gzip;q=1.0"])
  func `encodes for clients that accept it`(accepted: String) {
    let response = client.get("/gzip", "Accept-Encoding: \(accepted)")

    #expect(response["Content-Encoding"] == "gzip")
    #expect(response["Vary"] == "Accept-Encoding")
    #expect(response["ETag"] == "W/\"v1\"")
    #expect(response.body.prefix(2) == Data([0x1F, 0x8B]))
  }

  @Test(arguments: ["gzip", "identity"])
  func `an encoded response and a plain one have the same fields of the content`(accepted: String) {
    let response = client.get("/gzip/fields", "Accept-Encoding: \(accepted)")
    let vary = response.fields.filter { $0.name == "Vary" }.map(\.value)

    #expect(response["Content-Language"] == "en")
    #expect(response["Content-Security-Policy"] == "default-src 'none'")
    #expect(vary.joined(separator: ", ") == "Origin, Accept-Encoding")
  }

  @Test func `a 304 repeats the fields that are not of the body`() {
    let response = client.get("/gzip/fields", "If-None-Match: \"v1\"")

    #expect(response.status == 304)
    #expect(response["Content-Location"] == "/x.en")
    #expect(response["Content-Security-Policy"] == "default-src 'none'")
    #expect(response["Content-Language"] == nil)
  }

  @Test(arguments: ["identity", "gzip;q=0", "br", "*;q=0"])
  func `does not encode for others`(accepted: String) {
    let response = client.get("/gzip", "Accept-Encoding: \(accepted)")

    #expect(response["Content-Encoding"] == nil)
    #expect(response["Vary"] == "Accept-Encoding")
    #expect(response.text == "0123456789")
  }

  @Test func `a part is never encoded`() {
    let response = client.get("/gzip", "Accept-Encoding: gzip", "Range: bytes=0-1")

    #expect(response.status == 206)
    #expect(response["Content-Encoding"] == nil)
    #expect(response.text == "01")
  }

  @Test func `generated bytes can be requested in parts`() {
    let film = GeneratedBytes(length: 2 << 30, seed: 3)
    let start = (Int64(1) << 30) + 12_345
    let response = client.get("/film", "Range: bytes=\(start)-\(start + 199_999)")

    #expect(response.status == 206)
    #expect(response.body == film.bytes(in: start..<start + 200_000))
  }
}
