import FreshetEssentials

/// A large body that was put in its final place before its record is written.
struct StagedBody {
  let name: String
  let file: BodyFile
  private let origin: URL

  /// Moves a body into place, or copies it if it is in memory, in a file of the user's, or on
  /// another file system.
  init(
    _ body: ResourceBody,
    in layout: DiskLayout,
    durability: DiskStore.Durability,
    isCopied: Bool = false
  ) throws(FreshetError) {
    name = Hexadecimal.unpredictableName()
    let url = layout.body(name)
    if !isCopied, case .file(let file) = body.storage,
      let origin = try Self.move(file, to: url, durability, isCopyable: true)
    {
      (self.file, self.origin) = (file, origin)
      return
    }
    let file = try Self.copy(body, in: layout)
    guard let origin = try Self.move(file, to: url, durability, isCopyable: false) else {
      throw .store("the copy of the body belongs to another user")
    }
    (self.file, self.origin) = (file, origin)
  }

  /// Moves the body back, after its record could not be written.
  func undo() {
    file.release(to: origin)
  }

  /// - Returns: The former URL; `nil` if the body has to be copied.
  private static func move(
    _ file: BodyFile,
    to url: URL,
    _ durability: DiskStore.Durability,
    isCopyable: Bool
  ) throws(FreshetError) -> URL? {
    let folder = url.deletingLastPathComponent()
    do throws(FileFailure) {
      if durability == .power { try file.file.synchronize() }
      let origin = try adopt(file, at: url, in: folder, durability)
      if durability == .power, let origin {
        do throws(FileFailure) {
          try Directory.synchronize(folder.path)
        } catch {
          // Without a record, nobody would find it here.
          file.release(to: origin)
          throw error
        }
      }
      return origin
    } catch {
      // A file that was removed can still be read through its open descriptor.
      if error.code == EXDEV || error.isMissing, isCopyable { return nil }
      throw .store("a body could not be moved into place: \(error.reason)")
    }
  }

  private static func adopt(
    _ file: BodyFile,
    at url: URL,
    in folder: URL,
    _ durability: DiskStore.Durability
  ) throws(FileFailure) -> URL? {
    do throws(FileFailure) {
      return try file.adopt(at: url)
    } catch {
      // The first body in a folder creates it.
      guard error.code == ENOENT else { throw error }
      try PrivateDirectory.make(folder.path)
      if durability == .power {
        try Directory.synchronize(folder.deletingLastPathComponent().path)
      }
      return try file.adopt(at: url)
    }
  }

  private static func copy(
    _ body: ResourceBody,
    in layout: DiskLayout
  ) throws(FreshetError) -> BodyFile {
    do throws(FreshetError) {
      var spool = Spool(directory: layout.spool)
      // An empty body gets a file, too, or fails.
      (spool.threshold, spool.memoryLimit) = (-1, -1)
      let writer = try SpoolWriter(spool, expectedLength: body.length)
      try writer.append(Data())
      var reader = BodyReader(body, count: 1 << 20)
      while let chunk = try reader.next() { try writer.append(chunk) }
      if case .file(let file) = try writer.finish().body.storage { return file }
    } catch {
      throw error.store("a body could not be written")
    }
    throw .store("there is no file for a body")
  }
}
