#if Images && !canImport(Darwin)
import CPNG

/// Decodes PNG with libpng: each row is reduced as it is read, unless the picture is interlaced.
///
/// All depths are converted to 8 bits, and the file's gamma is applied. The frames of an animated PNG are
/// decoded as pictures of their own and drawn on a canvas.
struct PNGCodec {
  let bytes: [UInt8]
  let metadata: PictureMetadata
  let colors: ColorConversion?
  let plan: DecodingPlan

  private typealias File = UnsafeMutablePointer<freshet_png>

  func picture() throws(ImageError) -> Picture {
    if plan.animation == .frames, let file = try APNGFile.find(in: bytes, plan.limits) {
      do throws(ImageError) {
        return try animation(file)
      } catch {
        // The default image stands for frames that cannot be decoded.
        guard case .damaged = error else { throw error }
      }
    }
    return try open(bytes) { file throws(ImageError) in try read(file) }
  }

  /// Opens a file up to its pixels.
  private func open<Value>(
    _ bytes: [UInt8],
    _ read: (File) throws(ImageError) -> Value
  ) throws(ImageError) -> Value {
    // libpng keeps the address of the bytes until the picture is read.
    let result = bytes.withUnsafeBufferPointer { bytes -> Result<Value, ImageError> in
      // libpng identifies the file by its address.
      let file = File.allocate(capacity: 1)
      file.initialize(to: freshet_png())
      defer {
        freshet_png_end(file)
        file.deallocate()
      }
      let hasProfile: Int32 = colors == nil ? 0 : 1
      guard freshet_png_begin(file, bytes.baseAddress, bytes.count, hasProfile) != 0 else {
        return .failure(Self.failure(file))
      }
      return Result { () throws(ImageError) in try read(file) }
    }
    return try result.get()
  }

  private func read(_ file: File) throws(ImageError) -> Picture {
    let finishing = try plan.finishing(Self.size(file), metadata, colors)
    let isWhole = file.pointee.is_interlaced != 0
    // The library holds two rows of at most eight bytes per pixel.
    let perRow = finishing.stored.width * (isWhole ? 16 : 20)
    let held = isWhole ? finishing.stored : PixelSize(width: 0, height: 0)
    try plan.limits.check(memory: finishing.cost(of: held) + perRow)
    let bitmap =
      isWhole ? finishing.bitmap(try whole(file)) : try rows(file, finishing)
    return Picture(Picture.Frame(bitmap), sourceSize: finishing.sourceSize)
  }

  private static func size(_ file: File) -> PixelSize {
    PixelSize(width: Int(file.pointee.width), height: Int(file.pointee.height))
  }

  private func whole(_ file: File) throws(ImageError) -> Raster {
    let isOpaque = file.pointee.has_alpha == 0
    return try Raster(Self.size(file), isOpaque: isOpaque) { pixels throws(ImageError) in
      let cancellation = Unmanaged.passUnretained(plan.cancellation).toOpaque()
      let status = freshet_png_whole(file, pixels.baseAddress, cancellation) { context in
        guard let context else { return 0 }
        let flag = Unmanaged<DecodingCancellation>.fromOpaque(context).takeUnretainedValue()
        return flag.isSet ? 0 : 1
      }
      try plan.cancellation.check()
      guard status != 0 else { throw Self.failure(file) }
    }
  }

  /// A row buffer, and the finisher that its rows go to.
  private struct Reading {
    let row: UnsafeMutableBufferPointer<UInt8>
    let cancellation: DecodingCancellation
    var finisher: RowFinisher
  }

  private func rows(
    _ file: File,
    _ finishing: Finishing
  ) throws(ImageError) -> Bitmap {
    let row = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: finishing.stored.width * 4)
    row.initialize(repeating: 0)
    defer { row.deallocate() }
    var reading = Reading(
      row: row,
      cancellation: plan.cancellation,
      finisher: RowFinisher(
        finishing,
        from: finishing.stored,
        isOpaque: file.pointee.has_alpha == 0
      )
    )
    let status = withUnsafeMutablePointer(to: &reading) { reading in
      freshet_png_rows(file, row.baseAddress, reading) { context in
        guard let reading = context?.assumingMemoryBound(to: Reading.self),
          !reading.pointee.cancellation.isSet
        else { return 0 }
        reading.pointee.finisher.add(reading.pointee.row)
        return 1
      }
    }
    try plan.cancellation.check()
    guard status != 0 else { throw Self.failure(file) }
    return reading.finisher.bitmap()
  }

  private static func failure(_ file: File) -> ImageError {
    let message = withUnsafeBytes(of: file.pointee.message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return .damaged(message.isEmpty ? "libpng could not be started" : message)
  }
}

// MARK: - Animation

extension PNGCodec {
  private func animation(_ file: APNGFile) throws(ImageError) -> Picture {
    let finishing = try plan.finishing(file.canvas, metadata, colors)
    // The canvas, the one before it, a frame, and the rows of the library.
    let memory = finishing.cost(of: file.canvas) + file.canvas.count * 8 + file.canvas.width * 16
    try plan.limits.check(
      frames: file.frames.count,
      of: file.canvas,
      reducedTo: finishing.wanted,
      beside: memory
    )
    var canvas = FrameCanvas(file.canvas)
    var frames: [Picture.Frame] = []
    for frame in file.frames {
      let pixels = try open(file.file(of: frame)) { file throws(ImageError) in
        guard Self.size(file) == frame.size else {
          throw .damaged("the size of a frame does not match its control chunk")
        }
        return try whole(file)
      }
      canvas.draw(pixels, frame)
      frames.append(
        Picture.Frame(finishing.bitmap(canvas.raster), duration: frame.duration)
      )
      canvas.dispose(frame)
    }
    return try Picture(
      frames,
      repetitions: file.repetitions,
      sourceSize: finishing.sourceSize
    )
  }
}
#endif
