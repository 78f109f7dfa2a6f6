import Freshet
import Testing

@testable import FreshetImages

@Suite struct PictureMetadataTests {
  private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let length = [24, 16, 8, 0].map { UInt8(content.count >> $0 & 0xFF) }
    return length + Array(name.utf8) + content + [0, 0, 0, 0]
  }

  /// A profile of one byte in a block that is not compressed.
  private func profile(_ byte: UInt8) -> [UInt8] {
    chunk("iCCP", [0x70, 0, 0, 0x78, 0x01, 1, 1, 0, 0xFE, 0xFF, byte, 0, byte + 1, 0, byte + 1])
  }

  private func read(_ chunks: [[UInt8]]) -> PictureMetadata {
    PictureMetadata([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks.joined(), .png)
  }

  @Test func `reads one profile`() {
    #expect(read([profile(1), profile(2), chunk("IDAT", []), profile(3)]).profile == [1])
    #expect(read([chunk("iCCP", [1, 2]), profile(2), chunk("IDAT", [])]).profile == nil)
    #expect(read([chunk("IDAT", []), profile(3)]).profile == nil)
  }

  private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker, 0, UInt8(content.count + 2)] + content
  }

  @Test(
    arguments: [
      (0xC0, [], 3, false), (0xC0, [], 1, true), (0xC2, [], 3, true),
      (0xC0, [0x07, 0x07], 1, true),
      (0xC0, [0xFF, 0xD0], 1, true), (0xC0, [0xFF, 0xFF], 3, false),
    ] as [(UInt8, [UInt8], UInt8, Bool)]
  )
  func `recognizes JPEGs that are decoded from coefficients`(
    frame: UInt8,
    between: [UInt8],
    colors: UInt8,
    holdsCoefficients: Bool
  ) {
    let head = segment(frame, [8, 0, 8, 0, 8, 3])
    let scan = segment(0xDA, [colors])

    let metadata = PictureMetadata([0xFF, 0xD8] + between + head + between + scan, .jpeg)

    #expect(metadata.holdsCoefficients == holdsCoefficients)
  }

  @Test func `reads a limited number of segments`() {
    let comments = (0..<PictureMetadata.chunkLimit).flatMap { _ in segment(0xFE, []) }
    let head = segment(0xC0, [8, 0, 8, 0, 8, 1])

    #expect(PictureMetadata([0xFF, 0xD8] + head + comments, .jpeg).isGrey)
    #expect(!PictureMetadata([0xFF, 0xD8] + comments + head, .jpeg).isGrey)
  }
}
