import Foundation
import Freshet
import Testing

@Suite struct CertificateKeyTests {
  @Test(arguments: [
    "", "00", "30", "3080", "3003020101", "30820001", "3084FFFFFFFF", "30023000", "300430023000",
    "3005300302017F", "30853082",
  ])
  func `invalid certificates have no key`(hex: String) {
    let bytes = stride(from: 0, to: hex.count, by: 2)
      .compactMap { position in
        UInt8(hex.dropFirst(position).prefix(2), radix: 16)
      }
    #expect(ServerPins.key(of: Data(bytes)) == nil)
  }

  @Test func `a PEM file returns its certificates in order and nothing else`() {
    let text = """
      A comment.
      -----BEGIN PRIVATE KEY-----
      AAAA
      -----END PRIVATE KEY-----
      -----BEGIN CERTIFICATE-----
      AQID
      BA==
      -----END CERTIFICATE-----
      -----BEGIN CERTIFICATE-----\r
      BQY=\r
      -----END CERTIFICATE-----\r
      -----BEGIN CERTIFICATE-----
      never ended
      """
    #expect(ServerPins.certificates(inPEM: text) == [Data([1, 2, 3, 4]), Data([5, 6])])
  }
}
