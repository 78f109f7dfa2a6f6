#if GTK && !canImport(Darwin)
import CGTK
import Foundation
import Freshet
import FreshetImages

/// A card of the feed: the picture with its progress, the title, the author, and a button after a failure.
@MainActor
final class FeedCard: ImageSurface {
  let widget: Widget
  private(set) var photo: Photo?
  private(set) var isComplete = false
  private let feed: PhotoFeed
  private let picture: RemotePicture
  private let title: Widget?
  private let author: Widget?
  private let bar: Widget?
  private let retry: Widget?
  private lazy var presenter = ImagePresenter(loader: feed.images, surface: self)

  init(_ feed: PhotoFeed) {
    self.feed = feed
    picture = RemotePicture(loader: feed.images)
    picture.mode = .fill
    guard let card = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2), let overlay = gtk_overlay_new()
    else { preconditionFailure("call gtk_init() before a card is made") }
    widget = card
    title = gtk_label_new(nil)
    author = gtk_label_new(nil)
    bar = gtk_progress_bar_new()
    retry = gtk_button_new_with_label("Try again")
    gtk_widget_add_css_class(card, "card")
    gtk_widget_set_size_request(picture.widget, 284, 190)
    gtk_overlay_set_child(OpaquePointer(overlay), picture.widget)
    gtk_widget_set_valign(bar, GTK_ALIGN_END)
    gtk_overlay_add_overlay(OpaquePointer(overlay), bar)
    gtk_widget_set_halign(retry, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(retry, GTK_ALIGN_CENTER)
    gtk_overlay_add_overlay(OpaquePointer(overlay), retry)
    gtk_widget_add_css_class(overlay, "picture")
    gtk_widget_set_overflow(overlay, GTK_OVERFLOW_HIDDEN)
    gtk_widget_add_css_class(title, "title")
    gtk_widget_add_css_class(author, "author")
    for label in [title, author] { gtk_label_set_xalign(label.map(OpaquePointer.init), 0) }
    append(overlay, to: card)
    append(title, to: card)
    append(author, to: card)
    g_object_ref_sink(card)
    let clicked: @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void = {
      _,
      card in
      MainActor.assumeIsolated {
        card.map { Unmanaged<FeedCard>.fromOpaque($0).takeUnretainedValue() }?.load()
      }
    }
    g_signal_connect_data(
      UnsafeMutableRawPointer(retry),
      "clicked",
      unsafeBitCast(clicked, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque(),
      nil,
      GConnectFlags(rawValue: 0)
    )
    hideProgress()
    gtk_widget_set_visible(retry, 0)
  }

  isolated deinit {
    g_object_unref(widget)
  }

  /// Shows a photograph; an equal one has no effect.
  func show(_ photo: Photo?) {
    guard photo != self.photo else { return }
    self.photo = photo
    isComplete = false
    gtk_label_set_text(title.map(OpaquePointer.init), photo?.title ?? "")
    gtk_label_set_text(author.map(OpaquePointer.init), photo?.author.name ?? "")
    load()
  }

  /// Loads the picture; after a failure, again.
  func load() {
    gtk_widget_set_visible(retry, 0)
    presenter.show(photo.map { feed.request($0) })
  }

  func display(_ content: ImageContent, transition: ImageTransition) {
    picture.display(content, transition: transition)
  }

  func showActivity(_ isActive: Bool) {
    picture.showActivity(isActive)
  }

  func showProgress(_ progress: TransferProgress) {
    guard let fraction = progress.fraction else { return }
    gtk_widget_set_visible(bar, 1)
    gtk_progress_bar_set_fraction(bar.map(OpaquePointer.init), fraction)
  }

  func hideProgress() {
    gtk_widget_set_visible(bar, 0)
  }

  func complete(_ report: ImageReport) {
    guard let photo else { return }
    if case .failure = report.outcome { gtk_widget_set_visible(retry, 1) }
    if case .preview = report.outcome {} else { isComplete = true }
    feed.record(report, of: photo)
  }
}
#endif
