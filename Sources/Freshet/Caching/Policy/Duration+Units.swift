extension Duration {
  /// Returns a duration of minutes, of 60 seconds each.
  public static func minutes(_ count: Int) -> Duration { .seconds(60) * count }

  /// Returns a duration of hours, of 3,600 seconds each.
  public static func hours(_ count: Int) -> Duration { .seconds(3_600) * count }

  /// Returns a duration of days, of 24 hours each.
  public static func days(_ count: Int) -> Duration { .seconds(86_400) * count }
}
