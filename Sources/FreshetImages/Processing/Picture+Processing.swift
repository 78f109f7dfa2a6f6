extension Picture {
  /// Returns the picture after the processors of a request.
  func processed(
    by identity: ImageRequest.Identity,
    _ limits: DecodingLimits,
    _ cancellation: DecodingCancellation = DecodingCancellation()
  ) throws(ImageError) -> Picture {
    let scale = identity.target?.scale ?? 1
    return try processed(by: identity.processors, scale: scale, limits, cancellation)
  }

  /// Returns the picture with each frame changed by processors, in their order.
  ///
  /// The picture, what has been processed of it and what the next processor needs count against the limits,
  /// before that is allocated.
  func processed(
    by processors: [ImageProcessor],
    scale: Double,
    _ limits: DecodingLimits,
    _ cancellation: DecodingCancellation = DecodingCancellation()
  ) throws(ImageError) -> Picture {
    guard !processors.isEmpty else { return self }
    var memory = cost
    var processed: [Frame] = []
    for frame in frames {
      try cancellation.check()
      var bitmap = frame.bitmap
      for processor in processors {
        let needed = bitmap.pixels.count + processor.memory(for: bitmap.size)
        try limits.check(memory: memory + bitmap.pixels.count + needed)
        bitmap = try processor.apply(to: bitmap, scale: scale)
        try limits.check(pixels: bitmap.size)
        try limits.check(memory: memory + bitmap.pixels.count)
      }
      if let size = processed.first?.bitmap.size, size != bitmap.size {
        throw .processing("its frames have different sizes afterwards, \(size) and \(bitmap.size)")
      }
      memory += bitmap.pixels.count
      processed.append(Frame(bitmap, duration: frame.duration))
    }
    return Picture(
      processed[0],
      others: Array(processed.dropFirst()),
      repetitions: repetitions,
      sourceSize: sourceSize
    )
  }
}
