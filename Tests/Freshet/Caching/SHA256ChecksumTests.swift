import Foundation
import Freshet
import Testing

@Suite struct SHA256ChecksumTests {
  let sandbox = StoreSandbox()

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `agrees with the examples of FIPS 180`(text: String, hex: String) throws {
    #expect(try ResourceBody(Data(text.utf8)).sha256().hex == hex)
    #expect(SHA256Checksum(of: Data(text.utf8)).hex == hex)
  }

  @Test func `agrees with the example of a million letters, hashed in pieces`() throws {
    let body = ResourceBody(Data(repeating: UInt8(ascii: "a"), count: 1_000_000))

    #expect(
      try body.sha256().description
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    )
  }

  @Test(arguments: [0, 1, 256 << 10, 600_000])
  func `the digest of a file is that of its bytes`(count: Int) throws {
    let file = sandbox.url.appending(path: "file")
    try noise(count).write(to: file)

    #expect(try SHA256Checksum(contentsOf: file) == ResourceBody(noise(count)).sha256())
  }

  @Test(arguments: ["missing", ""])
  func `what is no regular file has no digest`(name: String) throws {
    let place = sandbox.url.appending(path: name)

    let error = #expect(throws: FreshetError.self) { try SHA256Checksum(contentsOf: place) }

    guard case .file(_, place.path) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `reads digits of either case and writes lower case`() throws {
    let hex = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"
    let digest = try #require(SHA256Checksum(hex: hex))

    #expect(digest.hex == hex.lowercased())
    #expect(SHA256Checksum(bytes: digest.bytes) == digest)
    #expect(try .sha256(hex: hex) == Checksum.sha256(digest))
  }

  @Test(arguments: [
    "", "ba78", String(repeating: "g", count: 64), String(repeating: "é", count: 32),
  ])
  func `is nil for a text that is not 64 digits, and an error where one is expected`(text: String) {
    #expect(SHA256Checksum(hex: text) == nil)
    let error = #expect(throws: FreshetError.self) { try Checksum.sha256(hex: text) }
    #expect(error?.kind == "invalidRequest")
  }
}
