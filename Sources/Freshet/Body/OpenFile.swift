package import FreshetEssentials

/// A file descriptor that is closed with its last reference.
package final class OpenFile: Sendable {
  package let descriptor: Int32

  /// Opens a path; the descriptor is not inherited by child processes.
  package init(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(FileFailure) {
    descriptor = try FileFailure.check("open", path) { open(path, flags | O_CLOEXEC, mode) }
  }

  /// Creates a new file; an existing file or link of that name is an error.
  init(creating path: String, _ access: Int32, mode: mode_t = 0o600) throws(FileFailure) {
    let flags = access | O_CREAT | O_EXCL | O_CLOEXEC
    descriptor = try FileFailure.check("make", path) { open(path, flags, mode) }
  }

  /// Opens a regular file, for reading by default; anything else is refused.
  static func regular(
    _ path: String,
    _ flags: Int32 = O_RDONLY
  ) throws(FileFailure) -> (file: OpenFile, status: stat) {
    // Opening a pipe for reading would wait for a writer.
    let file = try OpenFile(path, flags | O_NONBLOCK)
    let status = try file.status()
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileFailure(refusing: path, because: "it is not a regular file")
    }
    return (file, status)
  }

  /// Reads a journal up to a length; `nil` if there is no file of that name.
  ///
  /// One of another user is refused, who could have requests sent by it; root may have written one for this user,
  /// and a file system may give the files of all users to one.
  static func journal(
    _ path: String,
    upTo limit: Int64 = .max
  ) throws(FreshetError) -> Data? {
    do throws(FileFailure) {
      let (file, status) = try regular(path)
      let owner = status.st_uid
      guard [geteuid(), 0].contains(owner) || owner == ownerOfNewFiles(beside: path) else {
        throw FileFailure(refusing: path, because: "it belongs to another user")
      }
      return try file.read(at: 0, count: Int(min(limit, Int64(status.st_size))))
    } catch {
      if error.isMissing { return nil }
      throw error.error(at: path)
    }
  }

  /// Returns the user to whom the file system gives a file of this process; `nil` if it may not make one.
  private static func ownerOfNewFiles(beside path: String) -> uid_t? {
    // It is removed when it is released.
    guard let probe = try? ReplacementFile(for: path) else { return nil }
    return try? probe.file.status().st_uid
  }

  /// Removes a file, if there is one of that name.
  static func remove(_ path: String) throws(FreshetError) {
    guard unlink(path) != 0 else { return }
    let failure = FileFailure("remove", errno, path)
    if !failure.isMissing { throw failure.error(at: path) }
  }

  /// Takes ownership of an open descriptor; a negative one means none.
  package init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns the file's attributes.
  package func status() throws(FileFailure) -> stat {
    var status = stat()
    _ = try FileFailure.check("examine", nil) { fstat(descriptor, &status) }
    return status
  }

  /// Returns whether a path still leads to the file.
  package func isStill(at path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, let own = try? self.status() else { return false }
    return FileIdentity(own) == FileIdentity(status)
  }

  /// Reads the file from its beginning to its end, in pieces of 256 KiB.
  func readPieces(_ take: (Data) -> Void) throws(FileFailure) {
    var offset: Int64 = 0
    while true {
      let piece = try read(at: offset, count: 256 << 10)
      if piece.isEmpty { return }
      take(piece)
      offset += Int64(piece.count)
    }
  }

  /// Reads until `count` bytes have been read or the file ends.
  package func read(at offset: Int64, count: Int) throws(FileFailure) -> Data {
    guard count > 0, let memory = malloc(count) else { return Data() }
    var filled = 0
    do throws(FileFailure) {
      while filled < count {
        let got = try FileFailure.check("read", nil) {
          pread(descriptor, memory + filled, count - filled, off_t(offset) + off_t(filled))
        }
        if got == 0 { break }
        filled += got
      }
    } catch {
      free(memory)
      throw error
    }
    return Data(bytesNoCopy: memory, count: filled, deallocator: .free)
  }

  /// Writes all bytes, at the descriptor's position by default.
  func write(_ data: Data, at position: Int64? = nil) throws(FileFailure) {
    try data.writeAll(to: descriptor, at: position)
  }

  /// Truncates the file to a length, and continues to write there.
  func truncate(to length: Int64) throws(FileFailure) {
    _ = try FileFailure.check("shorten", nil) { ftruncate(descriptor, off_t(length)) }
    _ = try FileFailure.check("examine", nil) { lseek(descriptor, off_t(length), SEEK_SET) }
  }

  /// Sets the permissions, unless the file has them.
  ///
  /// A file system that has none refuses them to everyone but the user who mounted it; the file keeps what that
  /// gives to all files.
  func setPermissions(_ mode: mode_t) throws(FileFailure) {
    let status = try status()
    if status.st_mode & 0o7777 == mode { return }
    do throws(FileFailure) {
      _ = try FileFailure.check("set the permissions of", nil) { fchmod(descriptor, mode) }
    } catch {
      if [ENOSYS, ENOTSUP].contains(error.code) { return }
      guard error.code == EPERM, status.st_uid != geteuid() else { throw error }
    }
  }

  /// Hands the bytes to the server of a file system in the network, and reports those that it refuses.
  ///
  /// Such a file system may take writes for which the server has no space, and says so when a descriptor is closed.
  /// A local one does nothing.
  package func settle() throws(FileFailure) {
    #if canImport(Darwin)
    // There, only the last descriptor of an open file tells.
    var status = statfs()
    guard fstatfs(descriptor, &status) == 0, status.f_flags & UInt32(MNT_LOCAL) == 0 else { return }
    _ = try FileFailure.check("write", nil) { fsync(descriptor) }
    #else
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else {
      // There may be no descriptor left, and a complete file needs none to be put in its place.
      _ = try FileFailure.check("write", nil) { fsync(descriptor) }
      return
    }
    // An interrupted call has closed it.
    if close(copy) != 0, errno != EINTR { throw FileFailure("write", errno, nil) }
    #endif
  }

  /// Synchronizes the bytes to the device.
  func synchronize() throws(FileFailure) {
    #if canImport(Darwin)
    // There, `fsync` leaves them in the device's own memory.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    _ = try FileFailure.check("synchronize", nil) { fsync(descriptor) }
  }

  /// Takes the file's advisory lock if it is free; closing the file releases it.
  package func tryLock() -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  /// Gives the file's advisory lock back.
  func unlock() {
    flock(descriptor, LOCK_UN)
  }

  /// Waits for the file's advisory lock at most this long; it blocks its thread.
  package func lock(within patience: Duration) throws(FileFailure) {
    let deadline = ContinuousClock.now + patience
    while !tryLock() {
      let code = errno
      guard code == EWOULDBLOCK || code == EINTR, ContinuousClock.now < deadline else {
        let path = "the directory"
        throw code == EWOULDBLOCK
          ? FileFailure(refusing: path, because: "another process has its lock")
          : FileFailure("lock", code, nil)
      }
      usleep(2_000)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Writes all bytes, at the position of an open descriptor by default.
  func writeAll(to descriptor: Int32, at position: Int64? = nil) throws(FileFailure) {
    var (rest, position) = (self, position)
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = try FileFailure.check("write", nil) {
        if let position { return pwrite(descriptor, start, rest.count, off_t(position)) }
        return write(descriptor, start, rest.count)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      position? += Int64(count)
    }
  }
}

extension Data {
  /// Writes all bytes, at the position of an open descriptor by default.
  func writeAll(to descriptor: Int32, at position: Int64? = nil) throws(FileFailure) {
    // `withUnsafeBytes` does not preserve the type of the failure here.
    let result: Result<Void, FileFailure> = withUnsafeBytes { bytes in
      Result { () throws(FileFailure) in try bytes.writeAll(to: descriptor, at: position) }
    }
    try result.get()
  }
}
