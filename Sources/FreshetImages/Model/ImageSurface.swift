public import Freshet

/// What an ``ImagePresenter`` shows pictures on: a view that does as it is told.
@MainActor
public protocol ImageSurface: AnyObject {
  /// Puts something on the screen.
  ///
  /// - Parameters:
  ///   - content: What to show in place of what is there.
  ///   - transition: How it takes the place; ``ImageTransition/none`` for at once.
  func display(_ content: ImageContent, transition: ImageTransition)
  /// Starts or stops the activity indicator.
  func showActivity(_ isActive: Bool)
  /// Shows how far the transfer has come; nothing by default.
  func showProgress(_ progress: TransferProgress)
  /// Shows no progress any more: the load is over, or given up; nothing by default.
  func hideProgress()
  /// Takes what a load has come to; nothing by default.
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
