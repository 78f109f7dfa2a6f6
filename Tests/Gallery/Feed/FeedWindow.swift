#if GTK && !canImport(Darwin)
import CGTK
import Foundation
import Freshet
import FreshetImages

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// The feed in a GTK window: a grid of cards that GTK reuses, and an inspector beside it.
@MainActor
final class FeedWindow {
  let feed: PhotoFeed
  /// The cards on the screen and near it, by the position that they show.
  private(set) var shown: [Int: FeedCard] = [:]
  private var cards: [Widget: FeedCard] = [:]
  private var ids: [Photo.ID] = []
  private var selected: Photo?
  private let names = gtk_string_list_new(nil)
  private let window: Widget
  private let status: Widget
  private let inspector: Widget
  private var selection: OpaquePointer?
  private var adjustment: UnsafeMutablePointer<GtkAdjustment>?

  init?(_ feed: PhotoFeed) {
    guard let window = gtk_window_new(), let status = gtk_label_new(nil),
      let inspector = gtk_label_new(nil)
    else { return nil }
    self.feed = feed
    (self.window, self.status, self.inspector) = (window, status, inspector)
    feed.onChange = { [weak self] in self?.update() }
  }

  /// Opens the window and follows the feed.
  func open() {
    FeedStyle.load()
    let bar = gtk_header_bar_new()
    let button = gtk_button_new_from_icon_name("view-refresh-symbolic")
    connect(button, "clicked") { _, window in
      MainActor.assumeIsolated { FeedWindow.from(window)?.refresh() }
    }
    gtk_header_bar_pack_start(OpaquePointer(bar), button)
    gtk_header_bar_set_title_widget(OpaquePointer(bar), gtk_label_new("Freshet Gallery"))
    gtk_window_set_titlebar(pointer(window), bar)
    gtk_window_set_default_size(pointer(window), 1240, 800)

    let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
    let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    gtk_widget_add_css_class(status, "status")
    gtk_label_set_xalign(OpaquePointer(status), 0)
    append(status, to: column)
    append(scrolledGrid(), to: column)
    append(column, to: row)
    append(inspectorPane(), to: row)
    gtk_window_set_child(pointer(window), row)
    gtk_window_present(pointer(window))
    update()
    Task { await feed.follow() }
  }

  private func refresh() {
    Task { await feed.refresh() }
  }

  /// Shows a photograph's explanation in the inspector, as after a click on its card.
  func select(_ position: Int) {
    gtk_single_selection_set_selected(selection, guint(position))
  }

  /// Scrolls to a fraction of the list; 0 is the top, 1 the bottom.
  func scroll(to fraction: Double) {
    guard let adjustment else { return }
    let upper = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
    gtk_adjustment_set_value(adjustment, upper * fraction)
  }

  /// Writes the window as a PNG file.
  func save(to path: String) -> Bool {
    let (width, height) = (gtk_widget_get_width(window), gtk_widget_get_height(window))
    guard width > 0, let paintable = gtk_widget_paintable_new(window) else { return false }
    let snapshot = gtk_snapshot_new()
    gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
    g_object_unref(UnsafeMutableRawPointer(paintable))
    guard let node = gtk_snapshot_free_to_node(snapshot),
      let renderer = gtk_native_get_renderer(OpaquePointer(window)),
      let texture = gsk_renderer_render_texture(renderer, node, nil)
    else { return false }
    defer {
      gsk_render_node_unref(node)
      g_object_unref(UnsafeMutableRawPointer(texture))
    }
    return gdk_texture_save_to_png(texture, path) != 0
  }
}

// MARK: - Updates

extension FeedWindow {
  private func update() {
    gtk_label_set_text(OpaquePointer(status), statusText)
    let new = feed.photos.map(\.id)
    if new != ids {
      // Equal positions keep their cards, so that only the rest is bound again.
      let common = zip(new, ids).prefix { $0 == $1 }.count
      let added = new.dropFirst(common).map { "\($0)" }
      ids = new
      splice(from: common, adding: added)
    }
    for (position, card) in shown {
      guard let photo = photo(at: position) else { continue }
      card.show(photo)
    }
    showInspector()
  }

  private func splice(from position: Int, adding texts: [String]) {
    let removed = g_list_model_get_n_items(names) - guint(position)
    let copies = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
    pointers.withUnsafeMutableBufferPointer {
      gtk_string_list_splice(names, guint(position), removed, $0.baseAddress)
    }
  }

  private var statusText: String {
    let count = "\(feed.photos.count) photos"
    if let failure = feed.failure { return "\(count) · \(failure)" }
    if feed.isRefreshing { return "\(count) · refreshing …" }
    return feed.isLoadingPage ? "\(count) · loading the next page …" : count
  }

  private func photo(at position: Int) -> Photo? {
    feed.photos.indices.contains(position) ? feed.photos[position] : nil
  }

  private func showInspector() {
    guard let selected else { return }
    let explanation = feed.explanations[selected.id] ?? "Loading …"
    let text = "\(selected.title)\n\(selected.author.name)\n\n\(explanation)"
    gtk_label_set_text(OpaquePointer(inspector), text)
  }

  private func selectionChanged() {
    selected = photo(at: Int(gtk_single_selection_get_selected(selection)))
    showInspector()
  }

  private func scrolled() {
    guard let adjustment else { return }
    let end = gtk_adjustment_get_value(adjustment) + gtk_adjustment_get_page_size(adjustment)
    guard end > gtk_adjustment_get_upper(adjustment) - 200 else { return }
    Task { await feed.loadMore() }
  }
}

// MARK: - Widgets

extension FeedWindow {
  private func scrolledGrid() -> Widget? {
    let scrolled = gtk_scrolled_window_new()
    gtk_scrolled_window_set_policy(
      OpaquePointer(scrolled),
      GTK_POLICY_NEVER,
      GTK_POLICY_AUTOMATIC
    )
    gtk_scrolled_window_set_child(OpaquePointer(scrolled), grid())
    gtk_widget_set_vexpand(scrolled, 1)
    gtk_widget_set_hexpand(scrolled, 1)
    adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
    connect(adjustment, "value-changed") { _, window in
      MainActor.assumeIsolated { FeedWindow.from(window)?.scrolled() }
    }
    connect(scrolled, "edge-overshot") { (_, edge: Int32, window) in
      guard edge == Int32(GTK_POS_TOP.rawValue) else { return }
      MainActor.assumeIsolated { FeedWindow.from(window)?.refresh() }
    }
    return scrolled
  }

  private func inspectorPane() -> Widget? {
    let pane = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8)
    gtk_widget_add_css_class(pane, "inspector")
    gtk_widget_set_size_request(pane, 290, -1)
    let heading = gtk_label_new("How this picture was fetched")
    gtk_widget_add_css_class(heading, "heading")
    gtk_label_set_xalign(OpaquePointer(heading), 0)
    append(heading, to: pane)
    gtk_label_set_text(OpaquePointer(inspector), "Select a photo.")
    gtk_label_set_wrap(OpaquePointer(inspector), 1)
    gtk_label_set_max_width_chars(OpaquePointer(inspector), 34)
    gtk_label_set_xalign(OpaquePointer(inspector), 0)
    gtk_widget_add_css_class(inspector, "explanation")
    append(inspector, to: pane)
    return pane
  }

  private func grid() -> Widget? {
    let factory = gtk_signal_list_item_factory_new()
    connect(factory, "setup") { (_, item: UnsafeMutableRawPointer?, window) in
      MainActor.assumeIsolated { FeedWindow.from(window)?.setUp(item) }
    }
    connect(factory, "bind") { (_, item: UnsafeMutableRawPointer?, window) in
      MainActor.assumeIsolated { FeedWindow.from(window)?.bind(item) }
    }
    connect(factory, "unbind") { (_, item: UnsafeMutableRawPointer?, window) in
      MainActor.assumeIsolated { FeedWindow.from(window)?.unbind(item) }
    }
    selection = gtk_single_selection_new(names)
    gtk_single_selection_set_autoselect(selection, 0)
    gtk_single_selection_set_can_unselect(selection, 1)
    gtk_single_selection_set_selected(selection, guint.max)
    connect(selection, "notify::selected") { (_, _: UnsafeMutableRawPointer?, window) in
      MainActor.assumeIsolated { FeedWindow.from(window)?.selectionChanged() }
    }
    let grid = gtk_grid_view_new(selection, factory)
    gtk_grid_view_set_min_columns(OpaquePointer(grid), 3)
    gtk_grid_view_set_max_columns(OpaquePointer(grid), 3)
    gtk_grid_view_set_single_click_activate(OpaquePointer(grid), 0)
    return grid
  }

  private func setUp(_ item: UnsafeMutableRawPointer?) {
    let card = FeedCard(feed)
    gtk_list_item_set_child(item.map(OpaquePointer.init), card.widget)
    cards[card.widget] = card
  }

  private func bind(_ item: UnsafeMutableRawPointer?) {
    let item = item.map(OpaquePointer.init)
    guard let card = gtk_list_item_get_child(item).flatMap({ cards[$0] }) else { return }
    let position = Int(gtk_list_item_get_position(item))
    shown[position] = card
    if let photo = photo(at: position) { card.show(photo) }
  }

  private func unbind(_ item: UnsafeMutableRawPointer?) {
    let item = item.map(OpaquePointer.init)
    guard let card = gtk_list_item_get_child(item).flatMap({ cards[$0] }) else { return }
    // The item may have lost its position by now.
    shown = shown.filter { $0.value !== card }
    card.show(nil)
  }

  private nonisolated static func from(_ address: UnsafeMutableRawPointer?) -> FeedWindow? {
    address.map { Unmanaged<FeedWindow>.fromOpaque($0).takeUnretainedValue() }
  }
}

// MARK: - Signals

extension FeedWindow {
  private typealias Handler =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
  private typealias ItemHandler =
    @convention(c) (
      UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> Void
  private typealias EdgeHandler =
    @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeMutableRawPointer?) -> Void

  private func connect(_ object: Widget?, _ signal: String, _ handler: @escaping Handler) {
    connect(UnsafeMutableRawPointer(object), signal, unsafeBitCast(handler, to: GCallback.self))
  }

  private func connect(
    _ object: UnsafeMutablePointer<GtkAdjustment>?,
    _ signal: String,
    _ handler: @escaping Handler
  ) {
    connect(UnsafeMutableRawPointer(object), signal, unsafeBitCast(handler, to: GCallback.self))
  }

  private func connect(_ object: Widget?, _ signal: String, _ handler: @escaping EdgeHandler) {
    connect(UnsafeMutableRawPointer(object), signal, unsafeBitCast(handler, to: GCallback.self))
  }

  private func connect(
    _ object: OpaquePointer?,
    _ signal: String,
    _ handler: @escaping ItemHandler
  ) {
    let object = object.map(UnsafeMutableRawPointer.init)
    connect(object, signal, unsafeBitCast(handler, to: GCallback.self))
  }

  private func connect(_ object: UnsafeMutableRawPointer?, _ signal: String, _ handler: GCallback) {
    g_signal_connect_data(
      object,
      signal,
      handler,
      Unmanaged.passUnretained(self).toOpaque(),
      nil,
      GConnectFlags(rawValue: 0)
    )
  }
}

@MainActor func append(_ child: Widget?, to box: Widget?) {
  gtk_box_append(UnsafeMutableRawPointer(box)?.assumingMemoryBound(to: GtkBox.self), child)
}

@MainActor private func pointer(_ window: Widget) -> UnsafeMutablePointer<GtkWindow> {
  UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
}
#endif
