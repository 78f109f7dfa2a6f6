public import Freshet
public import Observation

/// A surface that only remembers: what an observing view, as SwiftUI's, draws.
@MainActor
@Observable
public final class ImageScreen: ImageSurface {
  /// What is to be drawn.
  public private(set) var content = ImageContent.placeholder
  /// How the content came to take the place of the one before.
  public private(set) var transition = ImageTransition.none
  /// Whether the activity indicator is to be drawn.
  public private(set) var isActive = false
  /// How far the transfer has come, while there is one and it is known.
  public private(set) var progress: TransferProgress?
  /// Takes what a load has come to; nothing by default.
  @ObservationIgnored public var onCompletion: (ImageReport) -> Void = { _ in }

  /// Makes an empty screen.
  public nonisolated init() {}

  /// Remembers what is to be drawn.
  public func display(_ content: ImageContent, transition: ImageTransition) {
    self.transition = transition
    self.content = content
  }

  /// Remembers whether the activity indicator is to be drawn.
  public func showActivity(_ isActive: Bool) {
    self.isActive = isActive
  }

  /// Remembers how far the transfer has come.
  public func showProgress(_ progress: TransferProgress) {
    self.progress = progress
  }

  /// Forgets how far the transfer had come.
  public func hideProgress() {
    progress = nil
  }

  /// Hands the report on.
  public func complete(_ report: ImageReport) {
    onCompletion(report)
  }
}
