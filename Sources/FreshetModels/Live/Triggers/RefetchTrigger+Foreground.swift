#if canImport(Darwin)
import Foundation

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
    #if os(macOS)
    Notification.Name("NSApplicationDidBecomeActiveNotification")
    #elseif os(watchOS)
    Notification.Name("WKApplicationWillEnterForegroundNotification")
    #else
    Notification.Name("UIApplicationWillEnterForegroundNotification")
    #endif
  }
}
#endif
