#if GTK && !canImport(Darwin)
import CGTK
import Freshet
import FreshetImages
import FreshetTesting

/// A window with a scrolling grid of pictures, whose cells GTK reuses.
@MainActor
final class Gallery {
  nonisolated static let columns = 8
  nonisolated static let side = 80
  nonisolated static let count = 400
  /// The pictures of the first rows that are whole on the screen.
  nonisolated static let visible = 0..<48

  let loader: ImageLoader
  let origin: GalleryOrigin
  private(set) var frameCount = 0
  /// The pictures on the screen and near it, by the number that they show.
  private(set) var shown: [Int: RemotePicture] = [:]
  /// What the newest loads have come to.
  private(set) var reports: [Int: ImageReport] = [:]
  private var pictures: [UnsafeMutablePointer<GtkWidget>: RemotePicture] = [:]
  private var adjustment: UnsafeMutablePointer<GtkAdjustment>?
  private var window: UnsafeMutablePointer<GtkWidget>?

  init(origin: GalleryOrigin) {
    self.origin = origin
    loader = ImageLoader(Client()) { $0.options.completion = .always }
  }

  func request(_ number: Int) -> ImageRequest {
    let side = Double(Self.side)
    return ImageRequest(
      origin.url(number),
      target: ImageTarget(width: side, height: side, mode: .fill)
    )
  }

  /// Shows all pictures anew, as after coming back to a page.
  func reload() {
    reports = [:]
    for (number, picture) in shown {
      picture.show(nil)
      picture.show(request(number))
    }
  }

  /// Scrolls as a hand does, a row a frame: a fraction of 0 is the top, 1 the bottom.
  func scroll(to fraction: Double) async {
    guard let adjustment else { return }
    let upper = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
    while gtk_adjustment_get_value(adjustment) != upper * fraction {
      let way = upper * fraction - gtk_adjustment_get_value(adjustment)
      let step = min(Double(Self.side), max(-Double(Self.side), way))
      gtk_adjustment_set_value(adjustment, gtk_adjustment_get_value(adjustment) + step)
      await nextFrame()
    }
  }

  /// Waits until so many frames have been painted, and the screen has them.
  func frames(_ count: Int) async {
    let end = frameCount + count
    while frameCount < end { await nextFrame() }
    gdk_display_sync(gdk_display_get_default())
  }

  func until(_ condition: () -> Bool) async {
    while !condition() { await nextFrame() }
  }

  private var waiters: [CheckedContinuation<Void, Never>] = []

  private func nextFrame() async {
    await withCheckedContinuation { waiters.append($0) }
  }

  private func painted() {
    frameCount += 1
    let woken = waiters
    waiters = []
    for waiter in woken { waiter.resume() }
  }
}

// MARK: - Widgets

extension Gallery {
  func open() {
    style()
    let window = gtk_window_new()
    let windowPointer = UnsafeMutableRawPointer(window)?.assumingMemoryBound(to: GtkWindow.self)
    gtk_window_set_decorated(windowPointer, 0)
    gtk_window_set_default_size(windowPointer, 640, 480)
    let scrolled = gtk_scrolled_window_new()
    gtk_scrolled_window_set_policy(
      OpaquePointer(scrolled),
      GTK_POLICY_NEVER,
      GTK_POLICY_EXTERNAL
    )
    gtk_scrolled_window_set_child(OpaquePointer(scrolled), grid())
    gtk_window_set_child(windowPointer, scrolled)
    adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
    self.window = window
    gtk_widget_add_tick_callback(
      window,
      { _, _, gallery in
        MainActor.assumeIsolated { Gallery.from(gallery)?.painted() }
        return 1
      },
      Unmanaged.passUnretained(self).toOpaque(),
      nil
    )
    gtk_window_present(windowPointer)
  }

  private func style() {
    let provider = gtk_css_provider_new()
    gtk_css_provider_load_from_data(
      provider,
      """
      window, gridview, gridview > child { background: white; padding: 0; margin: 0;
        border: none; border-spacing: 0; border-radius: 0; outline: none; box-shadow: none; }
      """,
      -1
    )
    gtk_style_context_add_provider_for_display(
      gdk_display_get_default(),
      OpaquePointer(provider),
      guint(GTK_STYLE_PROVIDER_PRIORITY_USER)
    )
  }

  private func grid() -> UnsafeMutablePointer<GtkWidget>? {
    let names = gtk_string_list_new(nil)
    for number in 0..<Self.count { gtk_string_list_append(names, "\(number)") }
    let factory = gtk_signal_list_item_factory_new()
    connect(factory, "setup") { _, item, gallery in
      MainActor.assumeIsolated { Gallery.from(gallery)?.setUp(item) }
    }
    connect(factory, "bind") { _, item, gallery in
      MainActor.assumeIsolated { Gallery.from(gallery)?.bind(item) }
    }
    connect(factory, "unbind") { _, item, gallery in
      MainActor.assumeIsolated { Gallery.from(gallery)?.unbind(item) }
    }
    let grid = gtk_grid_view_new(gtk_no_selection_new(names), factory)
    gtk_grid_view_set_min_columns(OpaquePointer(grid), guint(Self.columns))
    gtk_grid_view_set_max_columns(OpaquePointer(grid), guint(Self.columns))
    return grid
  }

  private typealias Handler =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Void

  private func connect(
    _ factory: OpaquePointer?,
    _ signal: String,
    _ handler: @escaping Handler
  ) {
    g_signal_connect_data(
      factory.map(UnsafeMutableRawPointer.init),
      signal,
      unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(),
      nil,
      GConnectFlags(rawValue: 0)
    )
  }

  private nonisolated static func from(_ address: UnsafeMutableRawPointer?) -> Gallery? {
    address.map { Unmanaged<Gallery>.fromOpaque($0).takeUnretainedValue() }
  }
}

// MARK: - Cells

extension Gallery {
  private func setUp(_ item: UnsafeMutableRawPointer?) {
    let picture = RemotePicture(loader: loader)
    picture.mode = .fill
    picture.placeholder = GalleryColor.placeholder.bitmap
    picture.failure = GalleryColor.failure.bitmap
    gtk_widget_set_size_request(picture.widget, Int32(Self.side), Int32(Self.side))
    gtk_list_item_set_child(item.map(OpaquePointer.init), picture.widget)
    pictures[picture.widget] = picture
  }

  private func bind(_ item: UnsafeMutableRawPointer?) {
    let item = item.map(OpaquePointer.init)
    guard let picture = gtk_list_item_get_child(item).flatMap({ pictures[$0] }) else { return }
    let number = Int(gtk_list_item_get_position(item))
    picture.onCompletion = { [weak self] report in self?.reports[number] = report }
    shown[number] = picture
    picture.show(request(number))
  }

  private func unbind(_ item: UnsafeMutableRawPointer?) {
    let item = item.map(OpaquePointer.init)
    guard let picture = gtk_list_item_get_child(item).flatMap({ pictures[$0] }) else { return }
    // The item may have lost its position by now.
    shown = shown.filter { $0.value !== picture }
    picture.show(nil)
  }
}
#endif
