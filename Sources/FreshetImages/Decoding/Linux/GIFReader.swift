#if Images && !canImport(Darwin)
import CGIF

/// Reads the records of a GIF and composes its frames.
struct GIFReader {
  private let file: UnsafeMutablePointer<GifFileType>
  private let plan: DecodingPlan
  private var finishing: Finishing
  private var canvas = FrameCanvas(PixelSize(width: 0, height: 0))
  private var control = GraphicsControlBlock()
  private var frames: [Picture.Frame] = []
  private var repetitions: Int? = 1
  private var memory = 0
  /// The number of pixels that were read and composed so far.
  private var pixels = 0

  init(
    _ file: UnsafeMutablePointer<GifFileType>,
    _ metadata: PictureMetadata,
    _ plan: DecodingPlan
  ) {
    self.file = file
    self.plan = plan
    let screen = PixelSize(width: Int(file.pointee.SWidth), height: Int(file.pointee.SHeight))
    finishing = Finishing(stored: screen, metadata: metadata, colors: nil, plan: plan)
    control.TransparentColor = Int32(NO_TRANSPARENT_COLOR)
  }

  mutating func picture() throws(ImageError) -> Picture {
    reading: while true {
      var kind = UNDEFINED_RECORD_TYPE
      guard DGifGetRecordType(file, &kind) != GIF_ERROR else {
        // A file without its last byte is complete nevertheless.
        if frames.isEmpty { throw failure }
        break
      }
      switch kind {
      case IMAGE_DESC_RECORD_TYPE:
        try readFrame()
        if plan.animation == .still { break reading }
      case EXTENSION_RECORD_TYPE: try readExtension()
      case TERMINATE_RECORD_TYPE: break reading
      default: break
      }
    }
    return try Picture(frames, repetitions: repetitions, sourceSize: finishing.sourceSize)
  }

  private var failure: ImageError { .damaged(GIFCodec.message(file.pointee.Error)) }
}

// MARK: - Frames

extension GIFReader {
  private mutating func readFrame() throws(ImageError) {
    guard DGifGetImageDesc(file) != GIF_ERROR else { throw failure }
    let place = FrameCanvas.GIFPlace(file.pointee.Image)
    if frames.isEmpty { try makeCanvas(for: place) }
    try plan.limits.check(pixels: place.size)
    // A frame may be larger than the canvas, and is read completely.
    pixels += max(place.size.count, finishing.stored.count)
    try plan.limits.check(frame: frames.count + 1, pixels: pixels)
    guard let map = file.pointee.Image.ColorMap ?? file.pointee.SColorMap else {
      throw .damaged("it has no colour table")
    }
    if control.DisposalMode == DISPOSE_PREVIOUS { canvas.save() }
    if place.size.count == 0 { try skipCodes() }
    var line = [UInt8](repeating: 0, count: place.size.width)
    for row in place.rows where !line.isEmpty {
      try plan.cancellation.check()
      guard DGifGetLine(file, &line, Int32(line.count)) != GIF_ERROR else { throw failure }
      canvas.draw(line, place, row: row, map.pointee, transparent: control.TransparentColor)
    }
    memory += finishing.wanted.count * 4
    try plan.limits.check(memory: memory)
    frames.append(
      Picture.Frame(
        finishing.bitmap(canvas.raster),
        duration: .ofFrame(Int(control.DelayTime), perSecond: 100)
      )
    )
    dispose(place)
  }

  /// Makes the canvas, which is at least as large as the first frame, as in browsers.
  private mutating func makeCanvas(for first: FrameCanvas.GIFPlace) throws(ImageError) {
    let size = PixelSize(
      width: max(finishing.stored.width, first.left + first.size.width),
      height: max(finishing.stored.height, first.top + first.size.height)
    )
    finishing = try plan.finishing(size, finishing.metadata)
    // The canvas, and the saved one to restore.
    memory = finishing.cost(of: size) + size.count * 4
    try plan.limits.check(memory: memory)
    canvas = FrameCanvas(size)
  }

  /// Reads the blocks of a frame without pixels, which the library otherwise reads with the last row.
  private func skipCodes() throws(ImageError) {
    var (size, block) = (Int32(0), UnsafeMutablePointer<GifByteType>?.none)
    guard DGifGetCode(file, &size, &block) != GIF_ERROR else { throw failure }
    while block != nil {
      guard DGifGetCodeNext(file, &block) != GIF_ERROR else { throw failure }
    }
  }

  private mutating func dispose(_ place: FrameCanvas.GIFPlace) {
    switch control.DisposalMode {
    case DISPOSE_BACKGROUND: canvas.clear(left: place.left, top: place.top, size: place.size)
    case DISPOSE_PREVIOUS: canvas.restore()
    default: break
    }
    control = GraphicsControlBlock()
    control.TransparentColor = Int32(NO_TRANSPARENT_COLOR)
  }
}

// MARK: - Extensions

extension GIFReader {
  private mutating func readExtension() throws(ImageError) {
    var (code, block) = (Int32(0), UnsafeMutablePointer<GifByteType>?.none)
    guard DGifGetExtension(file, &code, &block) != GIF_ERROR else { throw failure }
    var isLooping = false
    while let current = block {
      let content = UnsafeBufferPointer(start: current + 1, count: Int(current.pointee))
      if code == GRAPHICS_EXT_FUNC_CODE {
        DGifExtensionToGCB(content.count, content.baseAddress, &control)
      } else if code == APPLICATION_EXT_FUNC_CODE {
        if isLooping { readLoop(content) }
        isLooping = content.elementsEqual("NETSCAPE2.0".utf8)
      }
      guard DGifGetExtensionNext(file, &block) != GIF_ERROR else { throw failure }
    }
  }

  /// Reads a 1, followed by the number of repetitions after the first time; 0 means forever.
  private mutating func readLoop(_ content: UnsafeBufferPointer<GifByteType>) {
    guard content.count == 3, content[0] == 1 else { return }
    let count = Int(content[1]) | Int(content[2]) << 8
    repetitions = count == 0 ? nil : count + 1
  }
}
#endif
