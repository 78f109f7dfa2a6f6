#if Images && !canImport(Darwin)
import CLCMS

/// Converts the colours of pixels from a profile to sRGB.
///
/// A damaged profile is ignored, as is one for other colours than the picture has.
final class ColorConversion {
  private let transform: cmsHTRANSFORM
  private let isGrey: Bool

  /// Creates the conversion; `nil` if the picture has no profile that can be used.
  convenience init?(_ metadata: PictureMetadata) {
    self.init(metadata.profile) { space in
      switch space {
      case cmsSigRgbData: Self.rgba
      case cmsSigGrayData where metadata.isGrey: Self.grey
      default: nil
      }
    }
  }

  /// Creates the conversion from a profile; `format` returns the layout of pixels in its colour space.
  private init?(
    _ profile: [UInt8]?,
    format: (cmsColorSpaceSignature) -> cmsUInt32Number?
  ) {
    guard let profile,
      let source = cmsOpenProfileFromMem(profile, cmsUInt32Number(profile.count))
    else { return nil }
    defer { cmsCloseProfile(source) }
    guard let format = format(cmsGetColorSpace(source)),
      let transform = Self.transform(source, format)
    else { return nil }
    isGrey = format == Self.grey
    self.transform = transform
  }

  deinit {
    cmsDeleteTransform(transform)
  }

  /// Converts pixels of four bytes in place; their alpha is kept.
  func convert(_ pixels: UnsafeMutableBufferPointer<UInt8>) {
    guard isGrey else {
      cmsDoTransform(
        transform,
        pixels.baseAddress,
        pixels.baseAddress,
        cmsUInt32Number(pixels.count / 4)
      )
      return
    }
    // The codecs have expanded each grey to three equal bytes.
    let greys = stride(from: 0, to: pixels.count, by: 4).map { pixels[$0] }
    let alphas = stride(from: 3, to: pixels.count, by: 4).map { pixels[$0] }
    cmsDoTransform(transform, greys, pixels.baseAddress, cmsUInt32Number(greys.count))
    for (index, alpha) in alphas.enumerated() { pixels[index * 4 + 3] = alpha }
  }
}

// MARK: - Inks

extension ColorConversion {
  /// Converts pixels of four inks, a byte each, in place to red, green, blue and an alpha of 255.
  static func convertInks(
    _ pixels: UnsafeMutableBufferPointer<UInt8>,
    areInverted: Bool,
    profile: [UInt8]?
  ) {
    let format = areInverted ? invertedInks : inks
    if let conversion = ColorConversion(profile, format: { $0 == cmsSigCmykData ? format : nil }) {
      conversion.convert(pixels)
    } else {
      for start in stride(from: 0, to: pixels.count, by: 4) {
        func light(_ channel: Int) -> UInt32 {
          let ink = UInt32(pixels[start + channel])
          return areInverted ? ink : 255 - ink
        }
        let black = light(3)
        for channel in 0..<3 {
          pixels[start + channel] = UInt8((light(channel) * black + 127) / 255)
        }
      }
    }
    for place in stride(from: 3, to: pixels.count, by: 4) { pixels[place] = 255 }
  }
}

// MARK: - Transforms

extension ColorConversion {
  private static func transform(
    _ source: cmsHPROFILE,
    _ format: cmsUInt32Number
  ) -> cmsHTRANSFORM? {
    guard let target = cmsCreate_sRGBProfile() else { return nil }
    defer { cmsCloseProfile(target) }
    // Nothing bounds the steps of these tags, which the library prefers to the others of the profile.
    for tag in [cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag] {
      // Older versions of the library accept a tag twice.
      while cmsWriteTag(source, tag, nil) != 0 {}
    }
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

  // These formats are macros with arguments, which Swift does not import: colour space, extra channels,
  // channels, and bytes per channel.
  private static let rgba = cmsUInt32Number(PT_RGB) << 16 | 1 << 7 | 3 << 3 | 1
  private static let grey = cmsUInt32Number(PT_GRAY) << 16 | 1 << 3 | 1
  private static let inks = cmsUInt32Number(PT_CMYK) << 16 | 4 << 3 | 1
  private static let invertedInks = inks | 1 << 13
}
#endif
