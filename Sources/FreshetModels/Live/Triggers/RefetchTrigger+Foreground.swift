#if canImport(Darwin)
import FreshetEssentials

extension RefetchTrigger {
  /// The return of the app to the front; on Apple platforms.
  ///
  /// Elsewhere, ``signal(_:)`` takes what the platform has for it.
  public static var foreground: RefetchTrigger {
    RefetchTrigger(words: ".foreground") { fire in
      let events = NotificationCenter.default.notifications(named: Self.returned)
      for await _ in events.map({ _ in () }) { fire() }
    }
  }

  /// The notification by its value, so that the module links no user interface.
  private static var returned: Notification.Name {
    #if os(watchOS)
    Notification.Name("WKApplicationWillEnterForegroundNotification")
    #elseif canImport(UIKit)
    Notification.Name("UIApplicationWillEnterForegroundNotification")
    #else
    Notification.Name("NSApplicationDidBecomeActiveNotification")
    #endif
  }
}
#endif
