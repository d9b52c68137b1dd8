// swift-tools-version:6.2
// Programs outside of this package, which use its products and nothing else, each about as long as its idea: tests of an app, the
// sample of the White SDK, a bot. `Tests/EndToEnd/outside-packages-build` builds them, reads which modules that took, and runs
// them.

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("MemberImportVisibility"), .treatAllWarnings(as: .error),
]

func program(_ name: String, on product: String) -> Target {
  .executableTarget(
    name: name, dependencies: [.product(name: product, package: "Boardroom")], swiftSettings: settings)
}

let package = Package(
  name: "Apps",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "Boardroom", path: "../../..")],
  targets: [
    program("AppTests", on: "BoardroomConformance"),
    program("WhiteSample", on: "BoardroomClient"),
    program("Bot", on: "BoardroomClient"),
  ]
)
