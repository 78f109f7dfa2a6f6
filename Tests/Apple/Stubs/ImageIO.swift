// swift-format-ignore-file
// The interface of ImageIO that the sources use, without a body: for the type checker on Linux.
@_exported import CoreGraphics

public final class CGImageSource {}

public enum CGImageSourceStatus: Int32 {
  case statusComplete = 0
}

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource?
{
  nil
}
public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? { nil }
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { 0 }
public func CGImageSourceGetStatus(_ source: CGImageSource) -> CGImageSourceStatus {
  .statusComplete
}
public func CGImageSourceCopyProperties(
  _ source: CGImageSource,
  _ options: CFDictionary?
) -> Any? { nil }
public func CGImageSourceCopyPropertiesAtIndex(
  _ source: CGImageSource,
  _ index: Int,
  _ options: CFDictionary?
) -> Any? { nil }
public func CGImageSourceCreateThumbnailAtIndex(
  _ source: CGImageSource,
  _ index: Int,
  _ options: CFDictionary?
) -> CGImage? { nil }

public let kCGImageSourceShouldCache: CFString = ""
public let kCGImageSourceShouldCacheImmediately: CFString = ""
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = ""
public let kCGImageSourceCreateThumbnailWithTransform: CFString = ""
public let kCGImageSourceThumbnailMaxPixelSize: CFString = ""
public let kCGImagePropertyPixelWidth: CFString = ""
public let kCGImagePropertyPixelHeight: CFString = ""
public let kCGImagePropertyOrientation: CFString = ""
public let kCGImagePropertyGIFDictionary: CFString = ""
public let kCGImagePropertyGIFUnclampedDelayTime: CFString = ""
public let kCGImagePropertyGIFLoopCount: CFString = ""
public let kCGImagePropertyPNGDictionary: CFString = ""
public let kCGImagePropertyAPNGUnclampedDelayTime: CFString = ""
public let kCGImagePropertyAPNGLoopCount: CFString = ""
public let kCGImagePropertyWebPDictionary: CFString = ""
public let kCGImagePropertyWebPUnclampedDelayTime: CFString = ""
public let kCGImagePropertyWebPLoopCount: CFString = ""
public let kCGImagePropertyHEICSDictionary: CFString = ""
public let kCGImagePropertyHEICSUnclampedDelayTime: CFString = ""
public let kCGImagePropertyHEICSDelayTime: CFString = ""
public let kCGImagePropertyHEICSLoopCount: CFString = ""
