import Foundation
import Freshet
import FreshetTesting
import Synchronization

@testable import FreshetImages

/// A decoder that takes two letters: the picture's name, and its size.
///
/// `a3` is a picture of three pixels; anything else is damaged.
struct LetterDecoder: PictureDecoder {
  func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
    guard data.count == 2, let letter = data.first, let digit = data.last, 0x31...0x39 ~= digit
    else { throw .damaged("it is no letter with a size") }
    let size = PixelSize(width: Int(digit - 0x30), height: 1)
    return Picture(Bitmap(trusted: size, Array(repeating: letter, count: size.count * 4)))
  }
}

extension LoadedImage {
  /// The letter that it was made of.
  var letter: String { String(decoding: picture.bitmap.pixels.prefix(1), as: UTF8.self) }

  /// An image of a row of pixels of a letter; of one pixel by default.
  static func letter(
    _ letter: Character,
    _ source: Resource.Source = .network,
    _ freshness: Resource.Freshness = .fresh,
    isFinal: Bool = true,
    width: Int = 1
  ) -> LoadedImage {
    let byte = letter.asciiValue ?? 0
    let bitmap = Bitmap(
      trusted: PixelSize(width: width, height: 1),
      Array(repeating: byte, count: width * 4)
    )
    guard let digest = SHA256Checksum(bytes: Data(repeating: byte, count: 32)) else {
      preconditionFailure("32 bytes make a digest")
    }
    return LoadedImage(
      Picture(bitmap),
      digest: digest,
      source: source,
      freshness: freshness,
      isFinal: isFinal
    )
  }
}

/// What a surface was told, in words.
@MainActor
final class Ledger: ImageSurface {
  var onReport: (() -> Void)?
  private(set) var lines: [String] = [] {
    didSet {
      let satisfied = waiters.filter { lines.contains($0.line) }
      waiters.removeAll { waiter in lines.contains(waiter.line) }
      for waiter in satisfied { waiter.continuation.resume() }
    }
  }
  private var waiters: [(line: String, continuation: CheckedContinuation<Void, Never>)] = []

  /// Waits until a line is there.
  func wait(for line: String) async {
    guard !lines.contains(line) else { return }
    await withCheckedContinuation { waiters.append((line, $0)) }
  }

  func display(_ content: ImageContent, transition: ImageTransition) {
    lines.append(content.words + (transition == .none ? "" : ", \(transition)"))
  }

  func showActivity(_ isActive: Bool) {
    lines.append(isActive ? "activity" : "no activity")
  }

  func complete(_ report: ImageReport) {
    lines.append(report.words)
    onReport?()
  }
}

extension ImageContent {
  var words: String {
    switch self {
    case .placeholder: "placeholder"
    case .arriving(let picture):
      "arriving \(String(decoding: picture.bitmap.pixels.prefix(1), as: UTF8.self))"
    case .picture(let image): "picture \(image.letter)"
    case .failure: "failure"
    }
  }
}

extension ImageReport {
  var words: String {
    let outcome =
      switch outcome {
      case .preview(let image): "preview \(image.letter)"
      case .image(let image): "image \(image.letter)"
      case .failure: "failure"
      }
    return "report \(outcome)\(hasChanged ? "" : ", unchanged")"
  }
}

extension ImageViewState.Output {
  var words: String {
    switch self {
    case .cancel: "cancel"
    case .load: "load"
    case .wait: "wait"
    case .display(let content, let transition):
      content.words + (transition == .none ? "" : ", \(transition)")
    case .showActivity(let isActive): isActive ? "activity" : "no activity"
    case .showProgress(let progress): "progress \(progress.completed)"
    case .hideProgress: "no progress"
    case .report(let report): report.words
    }
  }
}

/// Adds the user who is signed in to each request.
struct Signing: Transport {
  let base: ScriptedTransport
  let user: @Sendable () -> String

  func addedFields(for request: Request) -> HTTPHeaders { [.authorization: user()] }

  func send(_ request: Request) -> Transfer {
    var request = request
    request.headers[.authorization] = user()
    return base.send(request)
  }
}

/// Counts what it decodes.
final class CountingDecoder: PictureDecoder {
  private let state = Mutex((count: 0, wasOnMainThread: false))

  var count: Int { state.withLock(\.count) }
  var wasOnMainThread: Bool { state.withLock(\.wasOnMainThread) }

  func decode(_ data: Data, _ plan: DecodingPlan) throws(ImageError) -> Picture {
    state.withLock { state in
      state.count += 1
      state.wasOnMainThread = state.wasOnMainThread || Thread.isMainThread
    }
    return try LetterDecoder().decode(data, plan)
  }
}
