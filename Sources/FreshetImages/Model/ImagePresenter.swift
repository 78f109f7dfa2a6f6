import Freshet

/// Does what an ``ImageViewState`` says: runs loads, waits, and tells a surface what to show.
///
/// - A remembered picture is on the surface when ``show(_:)`` returns.
/// - The surface is not kept alive. When the presenter goes, its load ends.
///
/// ```swift
/// let presenter = ImagePresenter(loader: loader, surface: cell)
/// presenter.show(ImageRequest(url))
/// presenter.show(nil)      // the cell is reused: nothing of the old picture comes any more
/// ```
@MainActor
public final class ImagePresenter {
  /// What loads the pictures; a change counts from the next request on.
  public var loader: ImageLoader
  /// How loads show themselves; a change counts from the next request on.
  public var options: ImageOptions
  /// What is shown, and why.
  public private(set) var state = ImageViewState()
  private let clock: any Clock<Duration>
  private weak var surface: (any ImageSurface)?
  private var load: Task<Void, Never>?
  private var delay: Task<Void, Never>?

  /// Makes a presenter.
  ///
  /// - Parameters:
  ///   - loader: What loads the pictures.
  ///   - surface: What shows them; it is not kept alive.
  ///   - options: How loads show themselves; as the loader is configured, by default.
  ///   - clock: What the delay of the activity indicator is waited on; the system's by default.
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

  /// Shows what a request describes in place of what is shown now.
  ///
  /// An equal request does nothing, unless the last load has failed.
  ///
  /// - Parameter request: What to show, or `nil` for the placeholder.
  public func show(_ request: ImageRequest?) {
    let remembered = request.flatMap(loader.remembered)
    perform(state.receive(.show(request, options, remembered: remembered)))
  }

  /// Gives the load up because the view has gone; what it shows stays.
  public func disappear() {
    perform(state.receive(.disappear))
  }

  /// Waits for the end of the load under way.
  func finish() async {
    await load?.value
  }

  private func receive(_ input: ImageViewState.Input) {
    perform(state.receive(input))
  }

  private func perform(_ outputs: [ImageViewState.Output]) {
    for output in outputs {
      switch output {
      case .cancel: cancel()
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
    let phases = loader.image(request, options: options)
    load = Task { [weak self] in
      for await phase in phases {
        guard let self else { return }
        receive(.phase(phase, token))
      }
    }
  }

  private func wait(_ duration: Duration, _ token: ImageViewState.Token) {
    delay = Task { [weak self, clock] in
      guard (try? await clock.sleep(for: duration)) != nil else { return }
      self?.receive(.activityIsDue(token))
    }
  }
}
