#if !canImport(Darwin)
import Glibc

/// Decodes `zstd` (RFC 8878), with the library that libcurl uses for it, see ``BrotliCodec``.
///
/// A frame can require a window of at most 8 MiB, as RFC 9659 says.
final class ZstandardCodec: ContentCodec {
  /// An input or an output of the library.
  private struct Buffer {
    let start: UnsafeRawPointer?
    let size: Int
    var position = 0
  }

  private typealias Create = @convention(c) () -> OpaquePointer?
  private typealias SetParameter = @convention(c) (OpaquePointer?, Int32, Int32) -> Int
  private typealias Decompress =
    @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int
  private typealias IsError = @convention(c) (Int) -> UInt32
  private typealias Free = @convention(c) (OpaquePointer?) -> Int

  private typealias Functions = (
    create: Create, setParameter: SetParameter, decompress: Decompress, isError: IsError, free: Free
  )

  private static let functions: Functions? = {
    // The types match the stable part of zstd.h; `size_t` is as wide as a pointer.
    guard let create: Create = LoadedFunction.named("ZSTD_createDStream"),
      let setParameter: SetParameter = LoadedFunction.named("ZSTD_DCtx_setParameter"),
      let decompress: Decompress = LoadedFunction.named("ZSTD_decompressStream"),
      let isError: IsError = LoadedFunction.named("ZSTD_isError"),
      let free: Free = LoadedFunction.named("ZSTD_freeDStream")
    else { return nil }
    return (create, setParameter, decompress, isError, free)
  }()

  static var isAvailable: Bool { functions != nil }

  private let functions: Functions
  private let stream: OpaquePointer
  private(set) var isComplete = false
  private var isAtStart = true

  init?() {
    guard let functions = Self.functions, let stream = functions.create() else { return nil }
    (self.functions, self.stream) = (functions, stream)
    let (windowLogMax, eightMebibytes): (Int32, Int32) = (100, 23)
    _ = functions.setParameter(stream, windowLogMax, eightMebibytes)
  }

  deinit {
    _ = functions.free(stream)
  }

  func decode(
    _ input: UnsafeRawBufferPointer,
    into room: UnsafeMutableRawBufferPointer
  ) -> Step? {
    // The library also decodes formats from before RFC 8878, without the limit of the window.
    if isAtStart, let first = input.first {
      guard first == 0x28 || 0x50...0x5F ~= first else { return nil }
    }
    var from = Buffer(start: input.baseAddress, size: input.count)
    var to = Buffer(start: room.baseAddress.map { UnsafeRawPointer($0) }, size: room.count)
    let rest = withUnsafeMutableBytes(of: &to) { to in
      withUnsafeMutableBytes(of: &from) { from in
        functions.decompress(stream, to.baseAddress, from.baseAddress)
      }
    }
    guard functions.isError(rest) == 0 else { return nil }
    isComplete = rest == 0
    isAtStart = isComplete
    return (consumed: from.position, produced: to.position)
  }
}
#endif
