// swift-format-ignore-file
// The interface of Core Graphics that the sources use, without a body: for the type checker on Linux.
@_exported import Foundation

public final class CGImage: Sendable {
  public var width: Int { 0 }
  public var height: Int { 0 }
}

public typealias CFString = String
public typealias CFData = Data
public typealias CFDictionary = [String: Any]

public final class CGColorSpace {
  public init?(name: CFString) {}
  public static let sRGB: CFString = ""
}

public enum CGImageAlphaInfo: UInt32 {
  case premultipliedLast = 1
}

public final class CGContext {
  public init?(
    data: UnsafeMutableRawPointer?,
    width: Int,
    height: Int,
    bitsPerComponent: Int,
    bytesPerRow: Int,
    space: CGColorSpace,
    bitmapInfo: UInt32
  ) {}
  public var data: UnsafeMutableRawPointer? { nil }
  public func makeImage() -> CGImage? { nil }
  public func draw(_ image: CGImage, in rect: CGRect) {}
}
