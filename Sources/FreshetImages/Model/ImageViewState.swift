public import Freshet

/// The behaviour of an image view: a value that receives inputs and returns outputs.
///
/// It has no clocks, tasks or views. ``ImagePresenter`` carries out its outputs; a view for another
/// toolkit can do so itself.
///
/// - Each load has a token. Inputs with another token than the latest are ignored, so that a reused
///   view never shows a picture of its previous request.
/// - A request that equals the one that is shown or loading has no effect, unless that one has failed.
/// - A transition is only used if the load waited for the origin and the picture on the screen really
///   changes: by digest, not by URL.
public struct ImageViewState: Sendable {
  /// The identity of one load.
  public struct Token: Sendable, Hashable {
    let number: UInt64
  }

  enum Progress: Sendable {
    case idle
    case loading
    case shown
    case failed
  }

  /// The content of the screen.
  public internal(set) var content = ImageContent.placeholder
  /// A Boolean value that indicates whether the activity indicator is running.
  public internal(set) var isActive = false
  /// The latest request; `nil` if there is none.
  public internal(set) var request: ImageRequest?
  /// The token of the latest load.
  public internal(set) var token = Token(number: 0)
  var options = ImageOptions()
  var progress = Progress.idle
  var showsProgress = false
  /// A Boolean value that indicates whether the picture from memory is on the screen before the load has found it.
  var hasToldRemembered = false

  /// Creates the state of a view that shows its placeholder.
  public init() {}
}

extension ImageViewState {
  /// The inputs of a view.
  public enum Input: Sendable {
    /// The view is to show the image of a request, or nothing; `remembered` is a picture from memory.
    case show(ImageRequest?, ImageOptions, remembered: LoadedImage?)
    /// A load has reached a phase.
    case phase(ImagePhase, Token)
    /// The delay of the activity indicator has passed.
    case activityIsDue(Token)
    /// The view has disappeared, or is about to. Its content stays, and the next request loads again.
    case disappear
  }

  /// The outputs, to be carried out in order.
  public enum Output: Sendable {
    /// Cancel a load.
    case cancel(Token)
    /// Start a load.
    case load(ImageRequest, ImageOptions, Token)
    /// Send ``Input/activityIsDue(_:)`` after a delay.
    case wait(Duration, Token)
    /// Show content.
    case display(ImageContent, ImageTransition)
    /// Start or stop the activity indicator.
    case showActivity(Bool)
    /// Show the progress of the transfer.
    case showProgress(TransferProgress)
    /// Hide the progress of the transfer.
    case hideProgress
    /// Report the result of the load.
    case report(ImageReport)
  }

  /// Handles an input.
  ///
  /// - Parameter input: The input.
  /// - Returns: The outputs, in order.
  public mutating func receive(_ input: Input) -> [Output] {
    switch input {
    case .show(let request, let options, let remembered):
      return show(request, options, remembered)
    case .disappear:
      return disappear()
    case .activityIsDue(let token):
      guard token == self.token, progress == .loading, content.visiblePicture == nil
      else { return [] }
      return setActive(true)
    case .phase(let phase, let token):
      guard token == self.token, progress == .loading, let request else { return [] }
      return receive(phase, for: request)
    }
  }
}
