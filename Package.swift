// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

let onLinux: TargetDependencyCondition? = .when(platforms: [.linux])

/// The pages of the playground, each an executable of its own on every platform.
let pages = [
  "01-FirstFetch", "02-YourOwnStage", "03-RandomUser", "04-TwitterClient", "05-Envelope",
  "06-GitHubRoutes", "07-Routes", "08-DemoMode", "09-RecordAndReplay", "10-ModelsOnScreen",
  "11-Batches",
]

func page(_ folder: String) -> Target {
  .executableTarget(
    name: String(folder.drop { $0 != "-" }.dropFirst()),
    dependencies: ["Freshet", "FreshetTesting"],
    path: "Playgrounds/Freshet.playground/Pages/\(folder).xcplaygroundpage",
    sources: ["Contents.swift"],
    swiftSettings: strict + [.defaultIsolation(MainActor.self)]
  )
}

let package = Package(
  name: "freshet",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Freshet", targets: ["Freshet"]),
    .library(name: "FreshetTesting", targets: ["FreshetTesting"]),
    .executable(name: "freshet", targets: ["FreshetCLI"]),
    .executable(name: "freshet-bench", targets: ["FreshetBench"]),
  ],
  targets: [
    .systemLibrary(
      name: "CCurl",
      pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]
    ),
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]
    ),
    .systemLibrary(
      name: "CCrypto",
      pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]
    ),
    .systemLibrary(name: "CLinux"),
    .target(
      name: "Freshet",
      dependencies: [
        .target(name: "CCurl", condition: onLinux),
        .target(name: "CSQLite", condition: onLinux),
        .target(name: "CCrypto", condition: onLinux),
        .target(name: "CLinux", condition: onLinux),
        "CZlib",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FreshetTesting",
      dependencies: ["Freshet", .target(name: "CLinux", condition: onLinux)],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetCLI",
      dependencies: ["Freshet", "FreshetTesting"],
      swiftSettings: strict
    ),
    .target(name: "TestSupport", path: "Tests/Support", swiftSettings: strict),
    .testTarget(
      name: "FreshetTests",
      dependencies: ["Freshet", "FreshetTesting", "TestSupport", "CZlib"],
      path: "Tests/Freshet",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetTestingTests",
      dependencies: ["Freshet", "FreshetTesting", "TestSupport"],
      path: "Tests/FreshetTesting",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetCLITests",
      dependencies: ["FreshetCLI", "FreshetTesting", "TestSupport"],
      path: "Tests/FreshetCLI",
      swiftSettings: strict
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["Freshet", "FreshetTesting"],
      path: "Tests/Documentation",
      swiftSettings: strict
    ),
    .testTarget(
      name: "PlaygroundTests",
      dependencies: pages.map { .target(name: page($0).name) } + ["TestSupport"],
      path: "Tests/Playgrounds",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetProbe",
      dependencies: ["Freshet", "FreshetTesting"],
      path: "Tests/Probe",
      swiftSettings: strict
    ),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "Freshet", "FreshetTesting", "FreshetCLI", "FreshetProbe", "TestSupport",
      ],
      path: "Tests/Integration",
      exclude: ["API/server.py"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetLab",
      dependencies: ["Freshet", "FreshetTesting", "CZlib"],
      path: "Tests/Laboratory",
      exclude: ["Native", "Secure/server.py"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetBench",
      dependencies: [
        "Freshet",
        "FreshetTesting",
        "TestSupport",
        .target(name: "CCurl", condition: onLinux),
        .target(name: "CSQLite", condition: onLinux),
        .target(name: "CLinux", condition: onLinux),
      ],
      path: "Tests/Benchmarks",
      swiftSettings: strict
    ),
  ] + pages.map(page),
  swiftLanguageModes: [.v6]
)
