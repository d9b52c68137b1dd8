// swift-tools-version:6.2
// Programs outside of this package, which use its products and nothing else, each about as long as its idea: tests of an app, the
// sample of the White SDK, a bot, a report of a folder's rooms, a back end with rooms in it. `Tests/EndToEnd/outside-packages-build` builds them, reads which modules that took, and runs
// them.

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]

func program(_ name: String, on products: String..., and others: [Target.Dependency] = []) -> Target {
  .executableTarget(
    name: name, dependencies: products.map { .product(name: $0, package: "Boardroom") } + others,
    swiftSettings: settings)
}

let package = Package(
  name: "Apps",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    .package(name: "Boardroom", path: "../../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    program("AppTests", on: "BoardroomLegacy", "BoardroomConformance"),
    program("WhiteSample", on: "BoardroomClient"),
    program("Bot", on: "BoardroomClient"),
    program("ReplayReport", on: "BoardroomReplay", "EventLog"),
    program(
      "BackEnd", on: "BoardroomServer", "EventLog",
      and: [
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ]),
  ]
)
