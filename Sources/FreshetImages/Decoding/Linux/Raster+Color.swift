#if Images && os(Linux)
import CLCMS

extension Raster {
  /// Brings the colours from a profile to sRGB; a profile that is damaged, or not for these pixels,
  /// changes nothing.
  mutating func convertToSRGB(from profile: [UInt8]) {
    guard let source = cmsOpenProfileFromMem(profile, cmsUInt32Number(profile.count)) else {
      return
    }
    defer { cmsCloseProfile(source) }
    switch cmsGetColorSpace(source) {
    case cmsSigRgbData: convert(source, from: Self.rgba)
    case cmsSigGrayData: convertGrey(source)
    default: break
    }
  }

  private mutating func convert(_ source: cmsHPROFILE, from format: cmsUInt32Number) {
    guard let transform = Self.transform(source, format) else { return }
    defer { cmsDeleteTransform(transform) }
    let count = cmsUInt32Number(size.count)
    bytes.withUnsafeMutableBytes { bytes in
      cmsDoTransform(transform, bytes.baseAddress, bytes.baseAddress, count)
    }
  }

  /// Codecs have spread a grey to three equal bytes.
  private mutating func convertGrey(_ source: cmsHPROFILE) {
    guard let transform = Self.transform(source, Self.grey) else { return }
    defer { cmsDeleteTransform(transform) }
    let greys = stride(from: 0, to: bytes.count, by: 4).map { bytes[$0] }
    let alphas = stride(from: 3, to: bytes.count, by: 4).map { bytes[$0] }
    bytes.withUnsafeMutableBytes { bytes in
      cmsDoTransform(transform, greys, bytes.baseAddress, cmsUInt32Number(greys.count))
    }
    for (index, alpha) in alphas.enumerated() { bytes[index * 4 + 3] = alpha }
  }

  /// Brings four inks, as many bytes as there are pixels times 4, to sRGB.
  static func fromInks(
    _ inks: [UInt8],
    _ size: PixelSize,
    areInverted: Bool,
    profile: [UInt8]?
  ) -> Raster {
    var raster = Raster(size, inks, isOpaque: true)
    if let profile, let source = cmsOpenProfileFromMem(profile, cmsUInt32Number(profile.count)) {
      defer { cmsCloseProfile(source) }
      if cmsGetColorSpace(source) == cmsSigCmykData,
        let transform = transform(source, areInverted ? invertedInks : Self.inks)
      {
        defer { cmsDeleteTransform(transform) }
        raster.bytes.withUnsafeMutableBytes { bytes in
          cmsDoTransform(transform, inks, bytes.baseAddress, cmsUInt32Number(size.count))
        }
        raster.fillAlpha()
        return raster
      }
    }
    for start in stride(from: 0, to: inks.count, by: 4) {
      let black = areInverted ? UInt32(inks[start + 3]) : 255 - UInt32(inks[start + 3])
      for channel in start..<start + 3 {
        let light = areInverted ? UInt32(inks[channel]) : 255 - UInt32(inks[channel])
        raster.bytes[channel] = UInt8((light * black + 127) / 255)
      }
    }
    raster.fillAlpha()
    return raster
  }

  private mutating func fillAlpha() {
    for place in stride(from: 3, to: bytes.count, by: 4) { bytes[place] = 255 }
  }

  private static func transform(
    _ source: cmsHPROFILE,
    _ format: cmsUInt32Number
  ) -> cmsHTRANSFORM? {
    guard let target = cmsCreate_sRGBProfile() else { return nil }
    defer { cmsCloseProfile(target) }
    let copiesAlpha = format == rgba ? cmsUInt32Number(cmsFLAGS_COPY_ALPHA) : 0
    return cmsCreateTransform(
      source,
      format,
      target,
      rgba,
      cmsUInt32Number(INTENT_PERCEPTUAL),
      copiesAlpha
    )
  }

  // The formats are macros with arguments, which Swift does not import: colour space, extra channels,
  // channels and bytes of each.
  private static let rgba = cmsUInt32Number(PT_RGB) << 16 | 1 << 7 | 3 << 3 | 1
  private static let grey = cmsUInt32Number(PT_GRAY) << 16 | 1 << 3 | 1
  private static let inks = cmsUInt32Number(PT_CMYK) << 16 | 4 << 3 | 1
  private static let invertedInks = inks | 1 << 13
}
#endif
