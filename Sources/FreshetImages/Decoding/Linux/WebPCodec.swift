#if Images && !canImport(Darwin)
import CWebP

/// Decodes WebP with libwebp: still pictures are reduced during decoding, animations are composed frame
/// by frame.
struct WebPCodec {
  let bytes: [UInt8]
  let metadata: PictureMetadata
  let colors: ColorConversion?
  let plan: DecodingPlan

  func picture() throws(ImageError) -> Picture {
    var features = WebPBitstreamFeatures()
    guard WebPGetFeatures(bytes, bytes.count, &features) == VP8_STATUS_OK else {
      throw .damaged("its WebP header is not valid")
    }
    let size = PixelSize(width: Int(features.width), height: Int(features.height))
    let finishing = try plan.finishing(size, metadata, colors)
    return features.has_animation != 0
      ? try animation(finishing)
      : try still(finishing, isOpaque: features.has_alpha == 0)
  }

  private func still(_ finishing: Finishing, isOpaque: Bool) throws(ImageError) -> Picture {
    // The library reduces colours without regard to their alpha.
    let decoded = isOpaque ? finishing.wanted : finishing.stored
    // The library holds a lossless picture in full while it reduces it.
    try plan.limits.check(memory: finishing.cost(of: decoded) + finishing.stored.count * 4)
    var config = WebPDecoderConfig()
    guard WebPInitDecoderConfig(&config) != 0 else {
      throw .damaged("libwebp could not be started")
    }
    if decoded != finishing.stored {
      config.options.use_scaling = 1
      config.options.scaled_width = Int32(decoded.width)
      config.options.scaled_height = Int32(decoded.height)
    }
    // The header of a lossless picture may deny the alpha that its pixels have.
    let raster = try Raster(decoded, isOpaque: false) { pixels throws(ImageError) in
      config.output.colorspace = MODE_RGBA
      config.output.is_external_memory = 1
      config.output.u.RGBA.rgba = pixels.baseAddress
      config.output.u.RGBA.stride = Int32(decoded.width * 4)
      config.output.u.RGBA.size = pixels.count
      let status = WebPDecode(bytes, bytes.count, &config)
      WebPFreeDecBuffer(&config.output)
      guard status == VP8_STATUS_OK else {
        throw .damaged("libwebp stopped with status \(status.rawValue)")
      }
    }
    return Picture(
      Picture.Frame(finishing.bitmap(raster)),
      sourceSize: finishing.sourceSize
    )
  }

  private func animation(_ finishing: Finishing) throws(ImageError) -> Picture {
    let canvas = finishing.stored
    // The library holds two canvases, in addition to the frame.
    let memory = finishing.cost(of: canvas) + canvas.count * 12
    try plan.limits.check(memory: memory)
    let result = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(ImageError) in try frames(bytes, finishing, memory) }
    }
    return try result.get()
  }

  private func frames(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ finishing: Finishing,
    _ memory: Int
  ) throws(ImageError) -> Picture {
    var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
    var options = WebPAnimDecoderOptions()
    guard WebPAnimDecoderOptionsInit(&options) != 0,
      let decoder = WebPAnimDecoderNew(&data, &options)
    else { throw .damaged("its frames are incomplete") }
    defer { WebPAnimDecoderDelete(decoder) }
    var info = WebPAnimInfo()
    guard WebPAnimDecoderGetInfo(decoder, &info) != 0,
      info.canvas_width == finishing.stored.width, info.canvas_height == finishing.stored.height
    else { throw .damaged("its frames do not match its header") }
    let count = plan.animation == .still ? 1 : Int(info.frame_count)
    try plan.limits.check(
      frames: count,
      of: finishing.stored,
      reducedTo: finishing.wanted,
      beside: memory
    )
    var frames: [Picture.Frame] = []
    var last = Int32(0)
    while WebPAnimDecoderHasMoreFrames(decoder) != 0 {
      try plan.cancellation.check()
      var (pixels, time) = (UnsafeMutablePointer<UInt8>?.none, Int32(0))
      guard WebPAnimDecoderGetNext(decoder, &pixels, &time) != 0, let pixels else {
        throw .damaged("frame \(frames.count + 1) cannot be decoded")
      }
      let canvas = UnsafeBufferPointer(start: pixels, count: finishing.stored.count * 4)
      let raster = Raster(finishing.stored, Array(canvas), isOpaque: false)
      // The library's times of day-long animations overflow, the differences do not.
      let duration = Duration.ofFrame(Int(time &- last))
      frames.append(Picture.Frame(finishing.bitmap(raster), duration: duration))
      last = time
      if plan.animation == .still { break }
    }
    return try Picture(
      frames,
      repetitions: info.loop_count == 0 ? nil : Int(info.loop_count),
      sourceSize: finishing.sourceSize
    )
  }
}
#endif
