// swift-tools-version:6.2
// The targets stand in layers, and a target imports only targets of lower layers. docs/ARCHITECTURE.md lists
// the layers; Tests/RepositoryTests reads this file and fails on an import of the same or a higher layer.

import PackageDescription

/// `BOARDROOM_LAYERS=storage` or `core` leaves out all layers above, and with them every network
/// dependency, so that the lower layers build and test in seconds. `BOARDROOM_FLOORS` is the older name.
let highest =
  Context.environment["BOARDROOM_LAYERS"] ?? Context.environment["BOARDROOM_FLOORS"] ?? "all"
let withCore = highest != "storage"
let withNetwork = withCore && highest != "core"

/// `BOARDROOM_POSTGRES=1` adds the store on PostgreSQL, which needs libpq. The default build does without.
let withPostgres = Context.environment["BOARDROOM_POSTGRES"] == "1"
/// What the program sees besides, with it. That a module was built once does not say that it is linked, so the
/// program asks for the condition and not for the module.
let database: [Target.Dependency] = withPostgres ? ["PostgresLog"] : []
let databaseSettings: [SwiftSetting] = withPostgres ? [.define("BOARDROOM_POSTGRES")] : []

/// `BOARDROOM_STRICT=1`, set by the check script, makes the warnings of our own targets errors.
let strict = Context.environment["BOARDROOM_STRICT"] == "1"

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (strict ? [.treatAllWarnings(as: .error)] : [])

/// A library target of one layer; it lies in `folder` and may import `sees` and nothing else.
func layer(
  _ name: String, in folder: String, sees: [Target.Dependency], resources: [Resource]? = nil,
  without excluded: [String] = [], plugins: [Target.PluginUsage] = []
) -> Target {
  .target(
    name: name, dependencies: sees, path: "\(folder)/\(name)", exclude: excluded, resources: resources,
    swiftSettings: settings, plugins: plugins)
}

/// A program under `tools/`.
func program(
  _ name: String, in folder: String, sees: [Target.Dependency], without excluded: [String] = [],
  _ more: [SwiftSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: sees, path: "tools/\(folder)", exclude: excluded,
    swiftSettings: settings + more)
}

/// A test target, or a library that only tests use.
func tests(_ name: String, sees: [Target.Dependency], without excluded: [String] = []) -> Target {
  name.hasSuffix("Tests")
    ? .testTarget(
      name: name, dependencies: sees, path: "Tests/\(name)", exclude: excluded, swiftSettings: settings)
    : .target(name: name, dependencies: sees, path: "Tests/\(name)", swiftSettings: settings)
}

func product(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package)
}

let crypto = product("Crypto", "swift-crypto")
let nio = product("NIOCore", "swift-nio")
let nioPosix = product("NIOPosix", "swift-nio")
let nioEmbedded = product("NIOEmbedded", "swift-nio")
let nioHTTP = product("NIOHTTP1", "swift-nio")
let nioWebSocket = product("NIOWebSocket", "swift-nio")
let nioFoundation = product("NIOFoundationCompat", "swift-nio")
let arguments = product("ArgumentParser", "swift-argument-parser")
let logging = product("Logging", "swift-log")
let metrics = product("Metrics", "swift-metrics")
let coreMetrics = product("CoreMetrics", "swift-metrics")
let lifecycle = product("ServiceLifecycle", "swift-service-lifecycle")
let hummingbird = product("Hummingbird", "hummingbird")
let hummingbirdCore = product("HummingbirdCore", "hummingbird")
let httpTypes = product("HTTPTypes", "swift-http-types")
let nioTLS = product("NIOSSL", "swift-nio-ssl")
let nioTLSEvents = product("NIOTLS", "swift-nio")
// There are no other programs to run on iOS.
let subprocess = Target.Dependency.product(
  name: "Subprocess", package: "swift-subprocess", condition: .when(platforms: [.macOS, .linux]))
let systemFiles = Target.Dependency.product(
  name: "SystemPackage", package: "swift-system", condition: .when(platforms: [.linux]))
// Network.framework is Apple's: on Linux the package is not built.
let transportServices = Target.Dependency.product(
  name: "NIOTransportServices", package: "swift-nio-transport-services",
  condition: .when(platforms: [.macOS, .iOS]))
let httpClient = product("AsyncHTTPClient", "async-http-client")

// MARK: Layers 0 to 2: any event log, nothing of whiteboards

var targets: [Target] = [
  .systemLibrary(
    name: "CLZ4", path: "Storage/CLZ4", pkgConfig: "liblz4",
    providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
  .systemLibrary(
    name: "CSQLite", path: "Storage/CSQLite", pkgConfig: "sqlite3",
    providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite3"])]),
  .target(name: "CChecksum", path: "Storage/CChecksum"),
  layer("EventLogModel", in: "Storage", sees: []),
  layer("EventLogFormat", in: "Storage", sees: ["EventLogModel", "CLZ4", "CChecksum", crypto]),
  layer("MemoryLog", in: "Storage", sees: ["EventLogModel"]),
  layer("NodeCore", in: "Storage", sees: []),
  layer("EventLog", in: "Storage", sees: ["EventLogModel", "EventLogFormat", "MemoryLog", "CSQLite"]),
  tests("StorageTestKit", sees: ["EventLogModel", "EventLogFormat", "MemoryLog", "EventLog", "CSQLite"]),
  program("disklives", in: "disklives", sees: ["EventLog", "StorageTestKit"]),
  tests("EventLogFormatTests", sees: ["EventLogModel", "EventLogFormat", "StorageTestKit"]),
  tests("EventLogTests", sees: ["EventLogModel", "EventLogFormat", "EventLog", "StorageTestKit"]),
  tests("ClusterSimulation", sees: ["MemoryLog", "NodeCore"]),
  tests("NodeCoreTests", sees: ["NodeCore"]),
]
var products: [Product] = [
  .library(name: "EventLog", targets: ["EventLogModel", "EventLogFormat", "MemoryLog", "EventLog"])
]
var dependencies: [Package.Dependency] = [
  .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
]

// MARK: The same logs in a database of PostgreSQL

if withPostgres {
  targets += [
    .systemLibrary(
      name: "CPostgres", path: "Storage/CPostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    layer(
      "PostgresLog", in: "Storage",
      sees: ["EventLogModel", "EventLogFormat", "NodeCore", "EventLog", "CPostgres"]),
    tests(
      "PostgresLogTests",
      sees: ["EventLogModel", "EventLogFormat", "EventLog", "PostgresLog", "StorageTestKit"]),
  ]
  products += [.library(name: "PostgresLog", targets: ["PostgresLog"])]
}

// MARK: Layers 3 to 5, and replay: the product's types, their bytes, its decisions

if withCore {
  targets += [
    layer("BoardroomModel", in: "Sources", sees: ["EventLogModel"]),
    layer("BoardroomVersion", in: "Sources", sees: []),
    layer("BoardroomCodec", in: "Sources", sees: ["EventLogModel", "BoardroomModel", crypto]),
    layer("BoardroomCore", in: "Sources", sees: ["EventLogModel", "BoardroomModel"]),
    layer(
      "BoardroomDrawing", in: "Sources",
      sees: ["EventLogModel", "BoardroomModel", "BoardroomCodec", "BoardroomCore"]),
    layer(
      "BoardroomReplay", in: "Sources",
      sees: [
        "EventLogModel", "BoardroomModel", "BoardroomCodec", "BoardroomCore", "BoardroomDrawing",
      ]),
    tests(
      "BoardroomCodecTests",
      sees: ["EventLogModel", "BoardroomModel", "BoardroomCodec", "StorageTestKit"]),
    tests(
      "BoardroomCoreTests",
      sees: [
        "EventLogModel", "MemoryLog", "BoardroomModel", "BoardroomCodec", "BoardroomCore",
        "StorageTestKit",
      ]),
    tests(
      "BoardroomReplayTests",
      sees: [
        "EventLogModel", "EventLog", "BoardroomModel", "BoardroomCodec", "BoardroomCore",
        "BoardroomDrawing", "BoardroomReplay", "StorageTestKit",
      ]),
  ]
}

// MARK: Layers 6 to 10, and the programs: rooms on event loops, the SDK, the server

if withNetwork {
  dependencies += [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-transport-services.git", from: "1.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
  ]
  let lower: [Target.Dependency] = [
    "EventLogModel", "BoardroomModel", "BoardroomCodec", "BoardroomCore",
  ]
  targets += [
    layer("BoardroomHosting", in: "Sources", sees: lower + [nio]),
    layer("BoardroomAccess", in: "Sources", sees: lower + ["BoardroomHosting", crypto]),
    layer(
      "BoardroomWebhooks", in: "Sources",
      sees: lower + [
        "BoardroomHosting", "BoardroomAccess", nio, nioPosix, nioHTTP, httpClient, crypto, logging,
        coreMetrics,
      ]),
    .systemLibrary(
      name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    layer(
      "BoardroomWeb", in: "Sources",
      sees: lower + ["BoardroomAccess", "CZlib", nio, nioPosix, hummingbird, httpTypes, crypto],
      without: ["Client", "Page"], plugins: ["EmbedPage"]),
    // The page's files as Swift, written while the target is built (ADR 0041).
    .plugin(
      name: "EmbedPage", capability: .buildTool(), dependencies: ["embed"], path: "tools/embed/plugin"),
    program("embed", in: "embed", sees: [], without: ["plugin"]),
    layer(
      "BoardroomHTTP", in: "Sources",
      sees: lower + [
        "BoardroomVersion", "BoardroomDrawing", "BoardroomHosting", "BoardroomAccess", "BoardroomWebhooks",
        "BoardroomWeb", nio, nioPosix, hummingbird, httpTypes, crypto, logging,
      ]),
    layer(
      "BoardroomServer", in: "Sources",
      sees: lower + [
        "BoardroomHosting", "BoardroomAccess", "BoardroomWebhooks", "BoardroomWeb", "BoardroomHTTP", nio,
        nioPosix, nioHTTP, nioWebSocket, nioTLS, hummingbird, hummingbirdCore, httpTypes, httpClient, crypto,
        logging, metrics, coreMetrics, lifecycle, subprocess, systemFiles,
      ]),
    layer(
      "BoardroomClient", in: "Sources",
      sees: lower + [
        "BoardroomVersion", "BoardroomDrawing", nio, nioPosix, nioHTTP, nioWebSocket, nioFoundation, nioTLS,
        nioTLSEvents, httpClient, transportServices, logging,
      ]),
    layer("BoardroomLegacy", in: "Sources", sees: lower + ["BoardroomClient", logging]),
    layer(
      "BoardroomConformance", in: "Sources",
      sees: lower + ["MemoryLog", "BoardroomHosting", "BoardroomClient", "BoardroomLegacy"]),
    program(
      "boardroom", in: "boardroom",
      sees: lower + [
        "EventLog", "BoardroomVersion", "BoardroomDrawing", "BoardroomReplay", "BoardroomAccess",
        "BoardroomHTTP", "BoardroomWebhooks", "BoardroomHosting", "BoardroomServer",
        "BoardroomClient", "BoardroomLegacy", arguments,
        logging, metrics, lifecycle, nioPosix,
      ] + database, databaseSettings),
    program(
      "bench", in: "bench",
      sees: lower + [
        "EventLogFormat", "EventLog", "BoardroomReplay", "BoardroomClient", "BoardroomConformance", arguments,
        subprocess, systemFiles,
      ] + database,
      without: ["rooms"], databaseSettings),
    tests(
      "TestKit",
      sees: lower + [
        "EventLog", "StorageTestKit", "ClusterSimulation", "BoardroomAccess", "BoardroomHosting",
        "BoardroomServer", "BoardroomClient", "BoardroomLegacy",
        "BoardroomConformance", logging,
        nio,
        nioPosix, nioHTTP, nioWebSocket,
      ]),
    program("simulate", in: "simulate", sees: ["TestKit", "ClusterSimulation", arguments]),
    program(
      "instructions", in: "instructions",
      sees: lower + ["BoardroomHosting", "StorageTestKit", "TestKit", arguments], without: ["figures.json"]),
    tests(
      "BoardroomAccessTests", sees: lower + ["BoardroomAccess", "BoardroomHosting", crypto],
      without: ["token_vectors.py"]),
    tests(
      "BoardroomHostingTests",
      sees: lower + [
        "EventLog", "BoardroomAccess", "BoardroomHosting", "StorageTestKit", "TestKit",
      ]),
    tests(
      "BoardroomWebhooksTests",
      sees: lower + [
        "EventLog", "BoardroomAccess", "BoardroomHosting", "BoardroomWebhooks", "BoardroomServer",
        "StorageTestKit", "TestKit",
        crypto, logging, coreMetrics,
      ]),
    tests(
      "ServerTestKit",
      sees: lower + [
        "EventLog", "BoardroomAccess", "BoardroomHTTP", "BoardroomHosting", "BoardroomServer",
        "StorageTestKit", logging, lifecycle,
      ]),
    tests(
      "BoardroomHTTPTests",
      sees: lower + [
        "EventLog", "BoardroomAccess", "BoardroomHTTP", "BoardroomHosting", "BoardroomServer",
        "ServerTestKit",
        "StorageTestKit",
      ]),
    tests(
      "BoardroomWebTests",
      sees: lower + [
        "BoardroomAccess", "BoardroomHosting", "BoardroomServer", "BoardroomWeb", "CZlib", "ServerTestKit",
        "StorageTestKit", crypto,
      ]),
    tests(
      "BoardroomServerTests",
      sees: lower + [
        "EventLog", "BoardroomAccess", "BoardroomHTTP", "BoardroomWebhooks", "BoardroomHosting",
        "BoardroomServer", "TestKit", "ServerTestKit", "StorageTestKit", nio, nioPosix, nioEmbedded, nioHTTP,
        nioTLS, hummingbird, httpTypes, crypto, logging, coreMetrics, lifecycle,
      ]),
    tests(
      "BoardroomClientTests",
      sees: lower + [
        "BoardroomAccess", "BoardroomHosting", "BoardroomServer", "BoardroomClient", "BoardroomLegacy",
        "TestKit", "StorageTestKit", logging,
      ]),
    tests(
      "BoardroomConformanceTests",
      sees: lower + [
        "BoardroomHosting", "BoardroomClient", "BoardroomLegacy", "BoardroomConformance", "TestKit",
      ]),
    tests(
      "SimulationTests",
      sees: lower + [
        "EventLog", "BoardroomReplay", "BoardroomAccess", "BoardroomHosting", "BoardroomServer",
        "BoardroomClient", "BoardroomLegacy", "TestKit",
        "StorageTestKit", "ClusterSimulation",
      ]),
    tests(
      "CommandLineTests",
      sees: lower + [
        "EventLog", "BoardroomVersion", "BoardroomAccess", "BoardroomHosting", "BoardroomServer",
        "BoardroomClient", "BoardroomLegacy", "BoardroomReplay", "StorageTestKit", "TestKit", "boardroom",
        nio, nioPosix,
        subprocess,
        systemFiles,
      ]),
    tests("RepositoryTests", sees: ["BoardroomModel", "embed", crypto, subprocess, systemFiles]),
  ]
  products += [
    .executable(name: "boardroom", targets: ["boardroom"]),
    .library(name: "BoardroomClient", targets: ["BoardroomClient"]),
    .library(name: "BoardroomLegacy", targets: ["BoardroomLegacy"]),
    .library(name: "BoardroomServer", targets: ["BoardroomServer"]),
    .library(name: "BoardroomReplay", targets: ["BoardroomReplay"]),
    .library(name: "BoardroomConformance", targets: ["BoardroomConformance"]),
  ]
}

let package = Package(
  name: "Boardroom",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: products,
  dependencies: dependencies,
  targets: targets
)
