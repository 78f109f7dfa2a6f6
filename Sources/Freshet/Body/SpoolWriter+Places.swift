import FreshetEssentials

/// The places of a body, and the fallbacks if one of them cannot be written.
extension SpoolWriter {
  /// Opens a file; without one, the body stays in memory.
  func begin() throws(FreshetError) {
    if let output = openPartial() {
      self.output = output
      return
    }
    do throws(FileFailure) {
      output = try first(of: places(besides: nil)) { (directory) throws(FileFailure) in
        try open(in: directory, for: expectedLength ?? 0)
      }
    } catch {
      guard expectedLength ?? 0 <= spool.memoryLimit else {
        throw error.error(at: spool.directory.path)
      }
      refusal = error
    }
  }

  /// Reads back what was written to a file that cannot be continued, and continues in another place.
  ///
  /// - Throws: The failure, if there is no other place.
  func goOnElsewhere(after failure: FileFailure) throws(FreshetError) {
    guard let old = output else { throw failure.error(at: spool.directory.path) }
    let needed = max(expectedLength ?? 0, old.written)
    do throws(FileFailure) {
      output = try first(of: places(besides: old)) { (directory) throws(FileFailure) in
        try copy(old, to: directory, for: needed)
      }
    } catch {
      buffer = try inMemory(old, needed, failure)
      refusal = failure
      output = nil
    }
    remove(old)
  }

  private func inMemory(
    _ output: Output,
    _ needed: Int64,
    _ failure: FileFailure
  ) throws(FreshetError) -> Data {
    guard needed <= spool.memoryLimit,
      let data = try? output.file.read(at: 0, count: Int(output.written)),
      data.count == Int(output.written)
    else { throw failure.error(at: spool.directory.path) }
    return data
  }

  /// Continues an output in another folder.
  private func copy(
    _ output: Output,
    to directory: URL,
    for length: Int64
  ) throws(FileFailure) -> Output {
    var new = try open(in: directory, for: length)
    do throws(FileFailure) {
      try copy(output, to: new.file)
    } catch {
      if !isNameless { unlink(new.url.path) }
      throw error
    }
    (new.hasher, new.written) = (output.hasher, output.written)
    return new
  }

  private func copy(_ output: Output, to file: OpenFile) throws(FileFailure) {
    var offset: Int64 = 0
    while offset < output.written {
      let count = Int(min(output.written - offset, 1 << 20))
      let piece = try output.file.read(at: offset, count: count)
      if piece.isEmpty { throw FileFailure("read", EIO, nil) }
      try file.write(piece)
      offset += Int64(piece.count)
    }
  }

  /// Returns the folders that have not been tried.
  private func places(besides output: Output?) -> [URL] {
    let places = [spool.directory] + (spool.fallback.map { [$0] } ?? [])
    guard let tried = output?.directory, let index = places.firstIndex(of: tried) else {
      return places
    }
    return Array(places[(index + 1)...])
  }

  /// Opens a file that outlives this process; `nil` if that is not possible, so that an ordinary
  /// one is used.
  private func openPartial() -> Output? {
    guard let record, let folder = spool.partials, isOfThisEpoch,
      let partial = try? folder.begin(record)
    else { return nil }
    // A removal counts itself before it looks for partial bodies.
    guard isOfThisEpoch else {
      partial.discard()
      return nil
    }
    return Output(file: partial.file, url: partial.url, hasher: newHasher(), partial: partial)
  }

  /// A Boolean value that indicates whether nothing was removed from the store since the request.
  private var isOfThisEpoch: Bool {
    guard let epoch, let shelf = spool.parts else { return true }
    return shelf.epoch == epoch
  }

  /// Returns the output in the first folder that has room for it.
  private func first(
    of places: [URL],
    _ make: (URL) throws(FileFailure) -> Output
  ) throws(FileFailure) -> Output {
    var failure = FileFailure("write", ENOSPC, nil)
    for directory in places {
      do throws(FileFailure) {
        return try make(directory)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private func open(in directory: URL, for length: Int64) throws(FileFailure) -> Output {
    let (file, url) = try SpoolFile.make(in: directory, isArrival: spool.folder != nil)
    // From here on it has no name, and nothing has been written to it.
    if isNameless { unlink(url.path) }
    do throws(FileFailure) {
      try FreeSpace.check(file, for: length)
    } catch {
      unlink(url.path)
      throw error
    }
    return Output(file: file, url: url, hasher: newHasher(), directory: directory)
  }
}
