public import Freshet
public import Observation

/// A surface that only stores its content, for observing views such as those of SwiftUI.
@MainActor
@Observable
public final class ImageScreen: ImageSurface {
  /// The content to draw.
  public private(set) var content = ImageContent.placeholder
  /// The transition from the previous content.
  public private(set) var transition = ImageTransition.none
  /// A Boolean value that indicates whether the activity indicator is shown.
  public private(set) var isActive = false
  /// The progress of the transfer, while there is one and it is known.
  public private(set) var progress: TransferProgress?
  /// A closure that receives the reports of loads; it does nothing by default.
  @ObservationIgnored public var onCompletion: (ImageReport) -> Void = { _ in }

  /// Creates an empty screen.
  public nonisolated init() {}

  /// Stores the content to draw.
  public func display(_ content: ImageContent, transition: ImageTransition) {
    self.transition = transition
    self.content = content
  }

  /// Stores whether the activity indicator is shown.
  public func showActivity(_ isActive: Bool) {
    self.isActive = isActive
  }

  /// Stores the progress of the transfer.
  public func showProgress(_ progress: TransferProgress) {
    self.progress = progress
  }

  /// Removes the progress of the transfer.
  public func hideProgress() {
    progress = nil
  }

  /// Passes the report to ``onCompletion``.
  public func complete(_ report: ImageReport) {
    onCompletion(report)
  }
}
