/// The formats of pictures that every platform decodes and every browser shows, recognised by their first
/// bytes; SVG is not among them, because it is markup.
///
/// The raw values are media types.
package enum PictureFormat: String, Sendable {
  case png = "image/png"
  case jpeg = "image/jpeg"
  case gif = "image/gif"
  case webP = "image/webp"

  package init?(_ bytes: some Collection<UInt8>) {
    func begins(with signature: some Sequence<UInt8>, at offset: Int = 0) -> Bool {
      bytes.dropFirst(offset).starts(with: signature)
    }
    if begins(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins(with: "GIF87a".utf8) || begins(with: "GIF89a".utf8) {
      self = .gif
    } else if begins(with: "RIFF".utf8), begins(with: "WEBP".utf8, at: 8) {
      self = .webP
    } else {
      return nil
    }
  }
}
