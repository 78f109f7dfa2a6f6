public import Freshet

/// The behaviour of an image view: a value that takes what happens and says what to do.
///
/// It has no clock, no task and no view. ``ImagePresenter`` does what it says; a shell for another
/// toolkit may do so itself.
///
/// - Each load has a token. What arrives for any other token than the newest changes nothing, so that
///   a reused view never shows a picture that belonged to its former request.
/// - A request that equals the one shown, or under way, does nothing, unless that one has failed.
/// - A transition is asked for only if the origin was waited for and the picture on the screen really
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

  /// What is on the screen.
  public internal(set) var content = ImageContent.placeholder
  /// Whether the activity indicator runs.
  public internal(set) var isActive = false
  /// What was asked for last; `nil` if nothing is wanted.
  public internal(set) var request: ImageRequest?
  /// The newest load.
  public internal(set) var token = Token(number: 0)
  var options = ImageOptions()
  var progress = Progress.idle
  /// Whether it was told how far the transfer has come.
  var showsProgress = false

  /// Makes the state of a view that shows its placeholder.
  public init() {}
}

extension ImageViewState {
  /// What may happen.
  public enum Input: Sendable {
    /// The view is to show something, or nothing; `remembered` is what the loader has at hand.
    case show(ImageRequest?, ImageOptions, remembered: LoadedImage?)
    /// A load has come to a phase.
    case phase(ImagePhase, Token)
    /// The delay of the activity indicator has passed.
    case activityIsDue(Token)
    /// The view has gone, or is about to; what it shows stays, and the next request loads again.
    case disappear
  }

  /// What is to be done, in this order.
  public enum Output: Sendable {
    /// Give up a load.
    case cancel(Token)
    /// Begin a load.
    case load(ImageRequest, ImageOptions, Token)
    /// Send ``Input/activityIsDue(_:)`` after a delay.
    case wait(Duration, Token)
    /// Put something on the screen.
    case display(ImageContent, ImageTransition)
    /// Start or stop the activity indicator.
    case showActivity(Bool)
    /// Tell how far the transfer has come.
    case showProgress(TransferProgress)
    /// Tell that there is no transfer any more whose progress was told.
    case hideProgress
    /// Tell what the load has come to.
    case report(ImageReport)
  }

  /// Takes what has happened.
  ///
  /// - Parameter input: What has happened.
  /// - Returns: What to do, in order.
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
