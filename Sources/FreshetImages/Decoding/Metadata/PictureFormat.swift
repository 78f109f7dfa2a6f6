/// The formats that are decoded on every platform, recognised by their first bytes.
enum PictureFormat: String, Sendable, CaseIterable {
  case png
  case jpeg
  case gif
  case webP

  init?(_ bytes: [UInt8]) {
    func begins(with signature: [UInt8], at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: signature)
    }
    if begins(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins(with: Array("GIF87a".utf8)) || begins(with: Array("GIF89a".utf8)) {
      self = .gif
    } else if begins(with: Array("RIFF".utf8)), begins(with: Array("WEBP".utf8), at: 8) {
      self = .webP
    } else {
      return nil
    }
  }
}
