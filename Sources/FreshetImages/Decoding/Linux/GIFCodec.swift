#if Images && !canImport(Darwin)
import CGIF

/// Decodes GIF with giflib, line by line; frames are composed here.
struct GIFCodec {
  let bytes: [UInt8]
  let metadata: PictureMetadata
  let plan: DecodingPlan

  func picture() throws(ImageError) -> Picture {
    let source = GIFSource(bytes)
    let address = Unmanaged.passUnretained(source).toOpaque()
    var status = Int32(0)
    let opened = DGifOpen(
      address,
      { file, target, count in
        guard let file, let target, let address = file.pointee.UserData else { return 0 }
        let source = Unmanaged<GIFSource>.fromOpaque(address).takeUnretainedValue()
        return source.read(target, count)
      },
      &status
    )
    guard let file = opened else { throw .damaged(Self.message(status)) }
    defer { DGifCloseFile(file, nil) }
    return try withExtendedLifetime(source) { () throws(ImageError) in
      var reader = GIFReader(file, metadata, plan)
      return try reader.picture()
    }
  }

  static func message(_ status: Int32) -> String {
    GifErrorString(status).map { String(cString: $0) } ?? "giflib failed"
  }
}

/// The source of bytes for giflib.
final class GIFSource {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  func read(_ target: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32 {
    let part = bytes[place..<min(bytes.count, place + max(0, Int(count)))]
    for (offset, byte) in part.enumerated() { target[offset] = byte }
    place += part.count
    return Int32(part.count)
  }
}
#endif
