extension ImageViewState {
  mutating func show(
    _ request: ImageRequest?,
    _ options: ImageOptions,
    _ remembered: LoadedImage?
  ) -> [Output] {
    if let request, request == self.request, progress == .loading || progress == .shown {
      return []
    }
    self.options = options
    var outputs = giveUp()
    self.request = request
    guard let request else { return outputs + clear() }
    hasToldRemembered = remembered != nil && options.local == .shown
    if let remembered, options.local == .shown {
      let hasChanged = changes(to: remembered)
      outputs += display(remembered)
      outputs += report(.preview(remembered), for: request, hasChanged: hasChanged)
    } else {
      outputs += clear()
    }
    progress = .loading
    outputs.append(.load(request, options, token))
    if case .after(let delay) = options.activity, content.image == nil {
      outputs.append(.wait(delay, token))
    }
    return outputs
  }

  mutating func disappear() -> [Output] {
    let outputs = giveUp()
    request = nil
    progress = .idle
    return outputs
  }

  /// Cancels the running load, and invalidates its token, so that later phases are ignored.
  private mutating func giveUp() -> [Output] {
    let outputs: [Output] = progress == .loading ? [.cancel(token)] : []
    token = Token(number: token.number + 1)
    return outputs + setActive(false) + endProgress()
  }

  private mutating func clear() -> [Output] {
    progress = .idle
    if case .placeholder = content { return [] }
    content = .placeholder
    return [.display(.placeholder, .none)]
  }

  mutating func endProgress() -> [Output] {
    defer { showsProgress = false }
    return showsProgress ? [.hideProgress] : []
  }

  mutating func setActive(_ isActive: Bool) -> [Output] {
    guard self.isActive != isActive else { return [] }
    self.isActive = isActive
    return [.showActivity(isActive)]
  }
}
