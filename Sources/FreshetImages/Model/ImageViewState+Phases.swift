import Freshet

extension ImageViewState {
  mutating func receive(_ phase: ImagePhase, for request: ImageRequest) -> [Output] {
    switch phase {
    case .placeholder:
      return []
    case .loading(let progress):
      showsProgress = true
      return [.showProgress(progress)]
    case .arriving(let picture):
      return arrive(picture)
    case .preview(let image):
      return preview(image, for: request)
    case .image(let image, _):
      return finish(image, for: request)
    case .failure(let error, let showing):
      return fail(error, showing: showing, for: request)
    }
  }

  /// Shows a preview of the arriving picture, unless there is a complete one.
  private mutating func arrive(_ picture: Picture) -> [Output] {
    guard content.image == nil else { return [] }
    content = .arriving(picture)
    return setActive(false) + [.display(content, .none)]
  }

  /// Shows a local copy that is being revalidated.
  private mutating func preview(_ image: LoadedImage, for request: ImageRequest) -> [Output] {
    guard options.local == .shown else {
      return report(.preview(image), for: request, hasChanged: false)
    }
    let hasChanged = changes(to: image)
    let isTold = exchange(&hasToldRemembered, with: false) && !hasChanged
    return setActive(false) + display(image)
      + (isTold ? [] : report(.preview(image), for: request, hasChanged: hasChanged))
  }

  private mutating func finish(_ image: LoadedImage, for request: ImageRequest) -> [Output] {
    progress = .shown
    let hasChanged = changes(to: image)
    // A picture without a wait for the origin appears without a transition, and so does one that
    // replaces its preview.
    let waited = image.source == .network || image.freshness == .revalidated
    let wasArriving = content.image == nil && content.visiblePicture != nil
    return setActive(false) + endProgress()
      + display(image, hasChanged && waited && !wasArriving ? options.transition : .none)
      + report(.image(image), for: request, hasChanged: hasChanged)
  }

  private mutating func fail(
    _ error: ImageError,
    showing: LoadedImage?,
    for request: ImageRequest
  ) -> [Output] {
    progress = .failed
    var outputs = setActive(false) + endProgress()
    // The cache may have lost the picture on the screen before the load looked it up.
    if options.local == .shown, let shown = showing ?? content.image {
      outputs += display(shown)
    } else {
      content = .failure(error)
      outputs.append(.display(.failure(error), .none))
    }
    outputs.append(
      .report(ImageReport(request: request, outcome: .failure(error), hasChanged: true))
    )
    return outputs
  }

  func changes(to image: LoadedImage) -> Bool {
    guard let shown = content.image, shown.digest == image.digest,
      shown.processors == image.processors
    else { return true }
    // The lengths of processors are in points.
    return !image.processors.isEmpty && shown.scale != image.scale
  }

  /// Shows a picture, unless it is already shown in the same size and scale and with as many frames.
  mutating func display(
    _ image: LoadedImage,
    _ transition: ImageTransition = .none
  ) -> [Output] {
    let isThere = content.image?.look == image.look
    content = .picture(image)
    return isThere ? [] : [.display(content, transition)]
  }

  func report(
    _ outcome: ImageReport.Outcome,
    for request: ImageRequest,
    hasChanged: Bool
  ) -> [Output] {
    guard hasChanged || options.completion == .always else { return [] }
    return [.report(ImageReport(request: request, outcome: outcome, hasChanged: hasChanged))]
  }
}
