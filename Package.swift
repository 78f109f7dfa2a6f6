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

/// The codecs of pictures, which only Linux needs: Apple platforms have ImageIO.
let codecs = ["CPNG", "CTurboJPEG", "CGIF", "CWebP", "CLCMS"]
let decodesOnLinux: TargetDependencyCondition? = .when(platforms: [.linux], traits: ["Images"])
let sharesOnLinux: TargetDependencyCondition? = .when(platforms: [.linux], traits: ["Redis"])
let showsOnGTK: TargetDependencyCondition? = .when(platforms: [.linux], traits: ["GTK"])

/// What `.scripts/fuzz.sh` links with libFuzzer; without it, the inputs that were found once are tests.
let fuzzing: Target =
  Context.environment["FRESHET_FUZZING"] != nil
  ? .target(
    name: "FreshetFuzzing",
    dependencies: ["Freshet", "FreshetModels", .target(name: "CCurl", condition: onLinux)],
    path: "Tests/Fuzzing",
    exclude: ["Corpus", "Inputs"],
    swiftSettings: strict
  )
  : .testTarget(
    name: "FuzzingTests",
    dependencies: ["Freshet", "FreshetModels", .target(name: "CCurl", condition: onLinux)],
    path: "Tests/Fuzzing",
    exclude: ["Corpus", "Engine"],
    swiftSettings: strict
  )

/// The pages of the playground, each an executable of its own on every platform.
let pages = [
  "01-FirstFetch", "02-StaleThenFresh", "03-PromiseStyle", "04-YourOwnStage",
  "05-ExplainingAResult", "06-RandomUser", "07-TwitterClient", "08-Envelope", "09-GitHubRoutes",
  "10-Routes", "11-DemoMode", "12-RecordAndReplay", "13-ModelsOnScreen", "14-Batches", "15-Images",
  "16-BytesByRange", "17-ResumableUploads", "18-WritingOffline", "19-WebSockets",
  "20-DuplexStreams", "21-WhenTheNetworkFails",
]

func page(_ folder: String) -> Target {
  .executableTarget(
    name: String(folder.drop { $0 != "-" }.dropFirst()),
    dependencies: ["Freshet", "FreshetTesting"]
      + (folder.hasSuffix("Images") ? ["FreshetImages"] : [])
      + (["13-ModelsOnScreen", "18-WritingOffline"].contains(folder) ? ["FreshetModels"] : []),
    path: "Playgrounds/Freshet.playground/Pages/\(folder).xcplaygroundpage",
    sources: ["Contents.swift"],
    packageAccess: false,
    swiftSettings: strict + [.defaultIsolation(MainActor.self)]
  )
}

let package = Package(
  name: "freshet",
  platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Freshet", targets: ["Freshet"]),
    .library(name: "FreshetFoundation", targets: ["FreshetFoundation"]),
    .library(name: "FreshetModels", targets: ["FreshetModels"]),
    .library(name: "FreshetImages", targets: ["FreshetImages"]),
    .library(name: "FreshetInspector", targets: ["FreshetInspector"]),
    .library(name: "FreshetRedis", targets: ["FreshetRedis"]),
    .library(name: "FreshetTesting", targets: ["FreshetTesting"]),
    .executable(name: "freshet", targets: ["FreshetCLI"]),
    .executable(name: "freshet-bench", targets: ["FreshetBench"]),
  ],
  traits: [
    .trait(
      name: "Images",
      description: "Decodes PNG, JPEG, GIF and WebP on Linux; Apple platforms do without it."
    ),
    .trait(
      name: "GTK",
      description: "Shows pictures in GTK 4 on Linux.",
      enabledTraits: ["Images"]
    ),
    .trait(
      name: "Redis",
      description: "A store in Redis or Valkey that processes share, on Linux."
    ),
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
      pkgConfig: "libssl",
      providers: [.apt(["libssl-dev"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]
    ),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(
      name: "CTurboJPEG",
      pkgConfig: "libturbojpeg",
      providers: [.apt(["libturbojpeg0-dev"])]
    ),
    .systemLibrary(name: "CGIF", providers: [.apt(["libgif-dev"])]),
    .systemLibrary(name: "CWebP", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .systemLibrary(
      name: "CHiredis",
      providers: [.apt(["libhiredis-dev"])]
    ),
    .target(name: "FreshetEssentials", swiftSettings: strict),
    .target(
      name: "Freshet",
      dependencies: [
        "FreshetEssentials",
        .target(name: "CCurl", condition: onLinux),
        .target(name: "CSQLite", condition: onLinux),
        .target(name: "CCrypto", condition: onLinux),
        .target(name: "CLinux", condition: onLinux),
        "CZlib",
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FreshetFoundation",
      dependencies: ["Freshet"],
      swiftSettings: strict
    ),
    .target(
      name: "FreshetModels",
      dependencies: ["Freshet", "FreshetEssentials", .target(name: "CLinux", condition: onLinux)],
      swiftSettings: strict
    ),
    .target(
      name: "FreshetTesting",
      dependencies: ["Freshet", "FreshetEssentials", .target(name: "CLinux", condition: onLinux)],
      swiftSettings: strict
    ),
    .target(
      name: "FreshetImages",
      dependencies: [
        "Freshet", "FreshetEssentials", "CZlib", .target(name: "CGTK", condition: showsOnGTK),
      ]
        + codecs.map { .target(name: $0, condition: decodesOnLinux) },
      swiftSettings: strict
    ),
    .target(
      name: "FreshetInspector",
      dependencies: [
        "Freshet", "FreshetEssentials", .target(name: "CLinux", condition: onLinux),
        .target(name: "CGTK", condition: showsOnGTK),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FreshetRedis",
      dependencies: [
        "Freshet", "FreshetEssentials", .target(name: "CHiredis", condition: sharesOnLinux),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetCLI",
      dependencies: [
        "Freshet", "FreshetInspector", "FreshetTesting",
        .target(name: "FreshetRedis", condition: .when(traits: ["Redis"])),
      ],
      swiftSettings: strict
    ),
    .target(name: "CTestWidth", path: "Tests/CTestWidth"),
    .target(
      name: "TestSupport",
      dependencies: [
        "CTestWidth", "FreshetTesting", .target(name: "CLinux", condition: onLinux),
      ],
      path: "Tests/Support",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetTests",
      dependencies: [
        "Freshet", "FreshetFoundation", "FreshetModels", "FreshetRedis", "FreshetTesting", "CZlib",
        "TestSupport",
      ],
      path: "Tests/Freshet",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetModelsTests",
      dependencies: ["Freshet", "FreshetModels", "FreshetTesting", "TestSupport"],
      path: "Tests/FreshetModels",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetRedisTests",
      dependencies: [
        "Freshet", "FreshetProbe", "FreshetRedis", "FreshetTesting", "TestSupport",
      ],
      path: "Tests/FreshetRedis",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetGallery",
      dependencies: [
        "Freshet", "FreshetImages", "FreshetInspector", "FreshetModels", "FreshetTesting", "CZlib",
        .target(name: "CGTK", condition: showsOnGTK),
      ],
      path: "Tests/Gallery",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetImagesTests",
      dependencies: [
        "Freshet", "FreshetGallery", "FreshetImages", "FreshetTesting", "TestSupport",
      ],
      path: "Tests/FreshetImages",
      exclude: ["Fixtures"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "AppleTests",
      dependencies: ["TestSupport"],
      path: "Tests/Apple",
      exclude: ["Stubs"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetTestingTests",
      dependencies: ["Freshet", "FreshetTesting", "TestSupport"],
      path: "Tests/FreshetTesting",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetInspectorTests",
      dependencies: [
        "Freshet", "FreshetInspector", "FreshetModels", "FreshetTesting", "TestSupport",
      ],
      path: "Tests/FreshetInspector",
      swiftSettings: strict
    ),
    .testTarget(
      name: "FreshetCLITests",
      dependencies: [
        "Freshet", "FreshetCLI", "FreshetTesting", "TestSupport",
        .target(name: "FreshetRedis", condition: .when(traits: ["Redis"])),
      ],
      path: "Tests/FreshetCLI",
      swiftSettings: strict
    ),
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["Freshet", "FreshetTesting", "TestSupport"],
      path: "Tests/Documentation",
      swiftSettings: strict
    ),
    // Without what only the package can use, as in an app.
    .testTarget(
      name: "SamplesTests",
      dependencies: [
        "Freshet", "FreshetFoundation", "FreshetImages", "FreshetInspector", "FreshetModels",
        "FreshetRedis", "FreshetTesting",
      ],
      path: "Tests/Samples",
      packageAccess: false,
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
      dependencies: [
        "Freshet", "FreshetModels", "FreshetRedis", "FreshetTesting",
        .target(name: "CLinux", condition: onLinux),
      ],
      path: "Tests/Probe",
      swiftSettings: strict
    ),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "Freshet", "FreshetModels", "FreshetTesting", "FreshetCLI", "FreshetProbe", "TestSupport",
      ],
      path: "Tests/Integration",
      exclude: [
        "API/server.py", "Authentication/bin.py", "Duplex/server.py", "Sockets/server.py",
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetLab",
      dependencies: [
        "Freshet", "FreshetModels", "FreshetTesting", "TestSupport", "CZlib",
        .target(name: "CLinux", condition: onLinux),
      ],
      path: "Tests/Laboratory",
      exclude: ["Native", "Secure/server.py"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetStart",
      dependencies: ["Freshet", "FreshetEssentials"],
      path: "Tests/Start",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "FreshetBench",
      dependencies: [
        "Freshet",
        "FreshetImages",
        "FreshetInspector",
        "FreshetModels",
        "FreshetStart",
        "FreshetTesting",
        "TestSupport",
        .target(name: "FreshetRedis", condition: .when(traits: ["Redis"])),
        .target(name: "CCurl", condition: onLinux),
        .target(name: "CSQLite", condition: onLinux),
        .target(name: "CLinux", condition: onLinux),
      ],
      path: "Tests/Benchmarks",
      swiftSettings: strict
    ),
    fuzzing,
  ] + pages.map(page),
  swiftLanguageModes: [.v6]
)
