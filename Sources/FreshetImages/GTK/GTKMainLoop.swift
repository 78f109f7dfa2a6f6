#if GTK && !canImport(Darwin)
import CGTK

/// Integrates the main actor with GLib's main loop, so that a GTK application can use it.
///
/// The jobs of the main actor are in the main queue of libdispatch; its descriptor becomes a source of
/// the loop, as in CoreFoundation. Nothing is polled.
///
/// ```swift
/// GTKMainLoop.runMainActor()
/// g_application_run(application, 0, nil)
/// ```
public enum GTKMainLoop {
  /// Adds the main actor to the default main context.
  ///
  /// Call it once, on the main thread, before the loop runs.
  @MainActor
  public static func runMainActor() {
    let queue = _dispatch_get_main_queue_handle_4CF()
    g_unix_fd_add(
      queue,
      G_IO_IN,
      { queue, _, _ in
        // The descriptor counts the jobs since it was last read.
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
