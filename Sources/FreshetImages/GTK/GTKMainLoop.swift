#if GTK && os(Linux)
import CGTK

/// Lets GLib's main loop run the main actor, so that a GTK application may use it.
///
/// The main actor's work waits in the main queue of libdispatch; its descriptor becomes a source of
/// the loop, as CoreFoundation does it. Nothing is polled.
///
/// ```swift
/// GTKMainLoop.runMainActor()
/// g_application_run(application, 0, nil)
/// ```
public enum GTKMainLoop {
  /// Adds the main actor to the default main context; call it once, on the main thread, before the
  /// loop runs.
  @MainActor
  public static func runMainActor() {
    let queue = _dispatch_get_main_queue_handle_4CF()
    g_unix_fd_add(
      queue,
      G_IO_IN,
      { queue, _, _ in
        // The descriptor counts what came since it was read.
        var count = eventfd_t()
        eventfd_read(queue, &count)
        _dispatch_main_queue_callback_4CF(nil)
        return 1
      },
      nil
    )
  }
}
#endif
