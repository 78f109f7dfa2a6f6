import Freshet

/// Carries out the outputs of an ``ImageViewState``: runs loads, waits, and updates a surface.
///
/// - A picture from memory is on the surface when ``show(_:)`` returns.
/// - The surface is not retained. Releasing the presenter cancels its load.
///
/// ```swift
/// let presenter = ImagePresenter(loader: loader, surface: cell)
/// presenter.show(ImageRequest(url))
/// presenter.show(nil)      // the cell is reused: nothing of the old picture comes any more
/// ```
@MainActor
public final class ImagePresenter {
  /// The loader of the pictures; a change takes effect with the next request.
  public var loader: ImageLoader
  /// The options of loads; a change takes effect with the next request.
  public var options: ImageOptions
  /// The state of the view.
  public private(set) var state = ImageViewState()
  private let clock: any Clock<Duration>
  private weak var surface: (any ImageSurface)?
  private var load: Task<Void, Never>?
  private var delay: Task<Void, Never>?

  /// Creates a presenter.
  ///
  /// - Parameters:
  ///   - loader: The loader of the pictures.
  ///   - surface: The view that shows them; it is not retained.
  ///   - options: The options of loads; `nil`, the default, uses those of the loader.
  ///   - clock: The clock for the delay of the activity indicator; the system's by default.
  public init(
    loader: ImageLoader,
    surface: any ImageSurface,
    options: ImageOptions? = nil,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.loader = loader
    self.surface = surface
    self.options = options ?? loader.configuration.options
    self.clock = clock
  }

  deinit {
    load?.cancel()
    delay?.cancel()
  }

  /// Shows the image of a request in place of the current content.
  ///
  /// An equal request has no effect, unless the last load has failed.
  ///
  /// - Parameter request: The image to show; `nil` for the placeholder.
  public func show(_ request: ImageRequest?) {
    let remembered = request.flatMap(loader.remembered)
    receive(.show(request, options, remembered: remembered))
  }

  /// Abandons the load because the view has disappeared; its content stays.
  public func disappear() {
    receive(.disappear)
  }

  /// Waits for the end of the running load.
  func finish() async {
    await load?.value
  }

  private func receive(_ input: ImageViewState.Input) {
    for output in state.receive(input) {
      switch output {
      case .cancel: cancel()
      // What is told to the app may have it show something else.
      case .load(_, _, let token) where token != state.token: break
      case .wait(_, let token) where token != state.token: break
      case .load(let request, let options, let token): begin(request, options, token)
      case .wait(let duration, let token): wait(duration, token)
      case .display(let content, let transition):
        surface?.display(content, transition: transition)
      case .showActivity(let isActive): surface?.showActivity(isActive)
      case .showProgress(let progress): surface?.showProgress(progress)
      case .hideProgress: surface?.hideProgress()
      case .report(let report): surface?.complete(report)
      }
    }
  }

  private func cancel() {
    load?.cancel()
    delay?.cancel()
    (load, delay) = (nil, nil)
  }

  private func begin(
    _ request: ImageRequest,
    _ options: ImageOptions,
    _ token: ImageViewState.Token
  ) {
    var phases = loader.image(request, options: options)
    phases.tellsWithheld = options.completion == .always
    load = Task { [weak self] in
      for await phase in phases {
        guard let self else { return }
        receive(.phase(phase, token))
      }
    }
  }

  private func wait(_ duration: Duration, _ token: ImageViewState.Token) {
    delay = Task { [weak self, clock] in
      guard (try? await clock.sleep(for: min(duration, .longestWait))) != nil else { return }
      self?.receive(.activityIsDue(token))
    }
  }
}
