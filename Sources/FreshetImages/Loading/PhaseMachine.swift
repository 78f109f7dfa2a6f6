import Freshet

/// Turns the events of a load into phases: a value without clocks and tasks.
struct PhaseMachine: Sendable {
  let local: ImageOptions.Local
  /// A Boolean value that indicates whether withheld previews are reported.
  let tellsWithheld: Bool
  private var hasBegun = false
  private(set) var isOver = false
  private var preview: LoadedImage?
  /// The last preview that was told and not shown.
  private var withheld: LoadedImage?

  init(local: ImageOptions.Local, tellsWithheld: Bool = false) {
    self.local = local
    self.tellsWithheld = tellsWithheld
  }

  /// Returns the first phase; `nil` after the first call.
  mutating func begin(remembered: () -> LoadedImage?) -> ImagePhase? {
    guard !hasBegun else { return nil }
    hasBegun = true
    guard local == .shown || tellsWithheld else { return .placeholder }
    return remembered().flatMap { show($0) } ?? .placeholder
  }

  mutating func receive(_ event: Event<LoadStep>?) -> ImagePhase? {
    switch event {
    case nil: fail(.resource(.noValue))
    case .progress(let progress): .loading(progress)
    case .value(.arriving(let picture)): preview == nil ? .arriving(picture) : nil
    case .value(.image(let image)): image.isFinal ? finish(image) : show(image)
    }
  }

  mutating func fail(_ error: ImageError) -> ImagePhase? {
    isOver = true
    return .failure(error, showing: preview)
  }

  mutating func end() -> ImagePhase? {
    isOver = true
    return nil
  }

  private mutating func show(_ image: LoadedImage) -> ImagePhase? {
    switch local {
    case .shown:
      if preview?.digest == image.digest { return nil }
      preview = image
    case .withheld:
      if !tellsWithheld || withheld?.digest == image.digest { return nil }
      withheld = image
    }
    return .preview(image)
  }

  private mutating func finish(_ image: LoadedImage) -> ImagePhase {
    isOver = true
    guard let preview else { return .image(image, .appeared) }
    return .image(image, preview.digest == image.digest ? .unchanged : .replaced)
  }
}
