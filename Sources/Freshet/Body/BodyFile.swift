import FreshetEssentials
import Synchronization

/// A file that holds a body, open for reading.
///
/// The open descriptor keeps the bytes readable after the file's name has been removed. A temporary
/// file is removed with the last reference to it, unless a store has adopted it.
final class BodyFile: Sendable {
  let length: Int64
  let file: OpenFile
  /// The pending check of the bytes against a digest; `nil` if they were hashed while they were written.
  let verification: BodyVerification?
  /// A Boolean value that indicates whether the file has no name.
  let isNameless: Bool
  private let place: Mutex<Place>

  private struct Place {
    var url: URL
    var isTemporary: Bool
    /// The folder of a temporary file, which may go after it.
    var folder: ArrivalFolder?
  }

  init(
    _ file: OpenFile,
    url: URL,
    length: Int64,
    isTemporary: Bool,
    isNameless: Bool = false,
    folder: ArrivalFolder? = nil,
    verification: BodyVerification? = nil
  ) {
    self.isNameless = isNameless
    self.file = file
    self.length = length
    self.verification = verification
    place = Mutex(Place(url: url, isTemporary: isTemporary && !isNameless, folder: folder))
  }

  /// Opens an existing file, such as one that the app ships.
  convenience init(opening url: URL) throws(FreshetError) {
    do throws(FileFailure) {
      let file = try OpenFile(url.path, O_RDONLY)
      let length = Int64(try file.status().st_size)
      self.init(file, url: url, length: length, isTemporary: false)
    } catch {
      throw error.error(at: url.path)
    }
  }

  deinit {
    place.withLock { place in
      if place.isTemporary { _ = unlink(place.url.path) }
    }
  }

  var url: URL { place.withLock { $0.url } }

  /// A Boolean value that indicates whether it is removed with the last reference to it.
  var isTemporary: Bool { place.withLock { $0.isTemporary } }

  /// Moves a temporary file to its permanent place.
  ///
  /// - Returns: Its former URL, or `nil` if the file is not temporary and was not moved.
  /// - Throws: The failure of `rename`; the file is not moved in that case.
  func adopt(at url: URL) throws(FileFailure) -> URL? {
    try place.withLock { place throws(FileFailure) in
      guard place.isTemporary else { return nil }
      let (old, new) = (place.url.path, url.path)
      _ = try FileFailure.check("move", old) { rename(old, new) }
      defer { place = Place(url: url, isTemporary: false) }
      return place.url
    }
  }

  /// Leaves a temporary file where it is, also after the last reference to it.
  func keep() {
    place.withLock { $0.isTemporary = false }
  }

  /// Undoes ``adopt(at:)`` after the store could not write its record.
  func release(to url: URL) {
    place.withLock { place in
      // If it cannot be moved back, it is removed from here with the last reference.
      let isBack = rename(place.url.path, url.path) == 0
      place = Place(url: isBack ? url : place.url, isTemporary: true)
    }
  }

  /// Returns the whole file.
  func read() throws(FreshetError) -> Data {
    let data = try read(at: 0, count: Int(length))
    if let verification, verification.isPending {
      try verification.check(SHA256Hasher.digest(of: data), at: url)
    }
    return data
  }

  /// Returns a part of the file, which must be within its length.
  func read(at offset: Int64, count: Int) throws(FreshetError) -> Data {
    let data = try FileFailure.reporting(at: url.path) { () throws(FileFailure) in
      try file.read(at: offset, count: count)
    }
    guard data.count == count else {
      throw .file("it is now shorter than \(length) bytes", path: url.path)
    }
    return data
  }
}
