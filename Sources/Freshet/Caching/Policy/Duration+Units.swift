extension Duration {
  /// So many minutes, of 60 seconds.
  public static func minutes(_ count: Int) -> Duration { .seconds(60) * count }

  /// So many hours, of 3,600 seconds.
  public static func hours(_ count: Int) -> Duration { .seconds(3_600) * count }

  /// So many days, of 24 hours.
  public static func days(_ count: Int) -> Duration { .seconds(86_400) * count }
}
