public import Freshet

/// A view on which an ``ImagePresenter`` shows pictures.
@MainActor
public protocol ImageSurface: AnyObject {
  /// Shows content.
  ///
  /// - Parameters:
  ///   - content: The content to show.
  ///   - transition: The transition to it; ``ImageTransition/none`` to show it immediately.
  func display(_ content: ImageContent, transition: ImageTransition)
  /// Starts or stops the activity indicator.
  func showActivity(_ isActive: Bool)
  /// Shows the progress of the transfer; does nothing by default.
  func showProgress(_ progress: TransferProgress)
  /// Hides the progress, because the load has ended or was abandoned; does nothing by default.
  func hideProgress()
  /// Receives the report of a load; does nothing by default.
  func complete(_ report: ImageReport)
}

extension ImageSurface {
  /// Does nothing.
  public func showProgress(_ progress: TransferProgress) {}
  /// Does nothing.
  public func hideProgress() {}
  /// Does nothing.
  public func complete(_ report: ImageReport) {}
}
