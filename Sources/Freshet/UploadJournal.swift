public import FreshetEssentials

/// A file that records where an upload goes, so that another process can resume it.
///
/// - It is written when the server has made the upload known, and is removed when the upload is complete,
///   also if the server then refuses it (`Upload-Complete: ?1` with an error), or has other bytes or more of them.
/// - An upload whose last byte the server has answered with an error, other than that of a gateway or a busy server,
///   is resumed if the server reports that bytes are missing, and begins anew if it calls it complete.
/// - It survives the end of the process at any moment. It contains the address of the upload, which may be all
///   that a server asks for: it is made with mode 0600. One that belongs to another user is refused, unless that is
///   root, and so is one whose address the server itself could not have named.
/// - It is for one upload at a time. An upload of another body, or to another URL, is refused while it is there.
///
/// ```swift
/// let response = try await client.upload(film, to: url) { $0.journal = UploadJournal(at: file) }.value
/// ```
public struct UploadJournal: Sendable, Hashable {
  /// The URL of the file.
  public let file: URL

  /// Makes a journal; nothing is written yet.
  public init(at file: URL) {
    self.file = file
  }

  /// Removes the file, if it exists; the next upload starts from the beginning.
  ///
  /// The server keeps what it has, see ``Client/cancelUpload(in:headers:)``.
  ///
  /// - Throws: ``FreshetError/file(_:path:)`` if it cannot be removed.
  public func discard() throws(FreshetError) {
    try OpenFile.remove(file.path)
  }
}

extension UploadJournal {
  /// The content of a journal.
  struct Entry: Codable, Equatable {
    var version = 1
    /// The method and the URL of the upload's request.
    var target: String
    var resumption: UploadOptions.Resumption
    /// The URL of the upload resource.
    var location: URL
    /// The identity of the body, see ``UploadSource/identity``.
    var identity: String
    var length: Int64
    /// The SHA-256 of the body in hexadecimal, if it was computed.
    var digest: String?
    /// `true` if the server has answered the last byte with a failure, and was not asked for the offset since.
    var isRefused: Bool?
  }

  /// Reads the journal; `nil` if there is none.
  func read() throws(FreshetError) -> Entry? {
    guard let data = try OpenFile.journal(file.path, upTo: 1 << 20) else { return nil }
    guard let entry = try? JSONDecoder().decode(Entry.self, from: data), entry.version == 1 else {
      throw .file("it is not a journal of an upload of this version", path: file.path)
    }
    return entry
  }

  /// Replaces the journal as a whole, away from the caller's actor: it waits for the device.
  @concurrent
  func write(_ entry: Entry) async throws(FreshetError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(entry) else { return }
    try FileFailure.reporting(at: file.path) { () throws(FileFailure) in
      _ = try ReplacementFile.put(data, at: file.path, survivesPower: true)
    }
  }
}
