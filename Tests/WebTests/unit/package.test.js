// The package boardroom-client: what is in the tarball, and whether a strict program can be
// compiled with it.
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { filesBelow } from "../../../tools/page/files.js";
import {
  packageVersion,
  packageWeight,
  packageWrongs,
  packedFiles,
} from "../../../tools/page/package.js";
import { tarball } from "../../../tools/page/tarball.js";
import { Installed } from "../kit/package.js";

/** @type {Installed} */
let installed;

/** @type {any} */
let about;

before(() => {
  installed = new Installed();
  about = JSON.parse(readFileSync(join(installed.package, "package.json"), "utf8"));
});

/** @param {string} path in the package */
const textOf = (path) => readFileSync(join(installed.package, path), "utf8");

test("the tarball names itself, its version, its licence and nothing that it depends on", () => {
  assert.equal(about.name, "boardroom-client");
  assert.equal(about.version, packageVersion());
  assert.equal(about.license, "Apache-2.0");
  assert.equal(about.type, "module");
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "scripts"]) {
    assert.equal(about[kind], undefined, kind);
  }
  assert.match(installed.tarball, new RegExp(`boardroom-client-${about.version}\\.tgz$`));
  assert.match(textOf("Client/version.js"), new RegExp(`"${about.version}"`));
});

test("every file is listed, and everything that is exported is there", () => {
  const files = filesBelow(installed.package);
  const listed = (/** @type {string} */ path) =>
    about.files.some((/** @type {string} */ one) => path === one || path.startsWith(`${one}/`));
  assert.deepEqual(
    files.filter((path) => path !== "package.json" && !listed(path)),
    [],
  );
  const targets = Object.values(about.exports).flatMap((one) =>
    typeof one === "string" ? [one] : Object.values(/** @type {any} */ (one)),
  );
  for (const target of [about.types, ...targets]) {
    assert.ok(existsSync(join(installed.package, target)), target);
  }
});

test("modules and types load nothing from outside of the package, and know no part of a page", () => {
  const files = filesBelow(installed.package).filter((path) => /\.(js|d\.ts)$/.test(path));
  assert.ok(files.length > 60);
  for (const path of files) {
    const code = textOf(path).replace(/\/\*[\s\S]*?\*\//g, "");
    const loaded = [...code.matchAll(/(?:\bfrom|\bimport\(?)\s*"([^"]+)"/g)];
    for (const [, address] of loaded) {
      assert.match(address, /^\.\.?\//, `${path} loads ${address}`);
      const target = join(dirname(join(installed.package, path)), address);
      const isThere = existsSync(target) || existsSync(target.replace(/\.js$/, ".d.ts"));
      assert.ok(isThere, `${path} loads ${address}`);
    }
    assert.ok(!builtinModules.some((name) => code.includes(`"node:${name}"`)), path);
    if (path.endsWith(".d.ts")) assert.doesNotMatch(code, /\bHTML\w*Element\b/, path);
  }
  assert.deepEqual(
    [...new Set(files.map((path) => path.split("/").slice(0, -1).join("/")))].sort(),
    ["Client", "Page/protocol", "Page/state", "Page/state/fold"],
  );
});

test("the same files give the same bytes, and tar and npm read them", () => {
  const { files } = packedFiles();
  const bytes = tarball(files);
  assert.deepEqual(bytes, tarball(files));
  assert.deepEqual(bytes, readFileSync(installed.tarball));
  const names = execFileSync("tar", ["-tzf", installed.tarball], { encoding: "utf8" });
  assert.deepEqual(
    names.trim().split("\n").sort(),
    files.map(({ path }) => `package/${path}`).sort(),
  );
});

test("the version is that of the product, in package.json and in what programs import", () => {
  assert.equal(packageVersion('static let current = "1.2.3"'), "1.2.3");
  assert.equal(packageVersion('static let current = "1.2.3-dev"'), "1.2.3-dev");
  assert.throws(() => packageVersion('static let current = "soon"'), /no version of the form/);
  const { version, files } = packedFiles();
  assert.equal(version, packageVersion());
  const text = (/** @type {string} */ name) =>
    files.find(({ path }) => path === name)?.bytes.toString("utf8") ?? "";
  assert.equal(JSON.parse(text("package.json")).version, version);
  assert.match(text("Client/version.js"), new RegExp(`version = "${version}"`));
});

test("the package has no more bytes than it may", () => {
  assert.deepEqual(packageWeight().wrong, []);
  assert.deepEqual(packageWeight(11, 10).wrong, [
    "boardroom-client has 11 bytes, 10 are too many.",
  ]);
  assert.deepEqual(packageWeight(10, 10).wrong, []);
});

test("the page uses nothing that the package does not export", () => {
  assert.deepEqual(packageWrongs(), []);
  const page = [
    {
      path: "board/one.js",
      bytes: Buffer.from(`import {\n  apply,\n  foldBody as fold,\n} from "../state/model.js";\n`),
    },
    { path: "player/two.js", bytes: Buffer.from(`import * as all from "../protocol/lz4.js";\n`) },
    { path: "state/three.js", bytes: Buffer.from(`import { rule } from "./fold/rules.js";\n`) },
  ];
  assert.deepEqual(
    packageWrongs(page).map((line) => line.replace(/, which.*/, "")),
    ["board/one.js uses foldBody of state/model.js", "player/two.js uses * of protocol/lz4.js"],
  );
});

/** A program that uses all of what is typed, and what must not fit. */
const program = `
import { joinRoom, mountBoard, mountPlayer, RoomError, version } from "boardroom-client";
import type { BoardElement, Member, Room, RoomEvents, TokenProvider } from "boardroom-client";
import { applyAll, emptyState, RoomSession } from "boardroom-client/core";

const token: TokenProvider = async ({ reason, code }) => \`\${reason} \${code ?? ""}\`;

export async function main(element: HTMLElement, signal: AbortSignal): Promise<string> {
  const room: Room = await joinRoom({ server: "https://a", uuid: "b", token, payload: { name: "c" }, signal });
  const stop: () => void = room.on("elements", ({ ids }) => {
    const all: "all" | ReadonlySet<string> = ids;
    console.log(all);
  });
  room.on("closed", ({ reason, error }) => console.log(reason === "kicked" ? error?.kick : error?.help));
  for await (const { event, payload, member } of room.watch("magix", { signal })) {
    const name: string = event;
    const by: number | null = member;
    console.log(name, payload, by);
  }
  const id: string = await room.drawStroke([{ x: 1, y: 2, pressure: 0.5 }, [3, 4]], { colour: [1, 2, 3], signal });
  const { revision }: { revision: number } = await room.change(id, { "style.colour": null }, { signal });
  const stroke = room.beginStroke({ tool: "highlighter" });
  await stroke.extend([[1, 2]]);
  await stroke.end();
  const found: BoardElement | undefined = room.element(id);
  if (found?.type === "stroke") console.log(found.points[0].pressure, found.isEnded);
  else console.log(found?.text?.length);
  const members: readonly Member[] = room.members;
  const told: RoomEvents["steps"] = room.steps;
  await room.insert({ type: "note", x: 1, y: 2, width: 3, height: 4, text: "t" }, { scene: "/init" });
  await room.putScenes("/", [{ name: "two" }], { index: 0 });
  await room.undo({ signal });
  await room.rejoin();
  const board = await mountBoard(element, { server: ["https://a", "https://b"], uuid: "b", theme: "dark" });
  await board.room.redo();
  (await mountPlayer(element, { server: "https://a", uuid: "b", revision: 2 })).show({ member: 1 });
  const session = new RoomSession({ origin: "https://a", clock: { now: () => 1, after: () => () => {}, frame: () => () => {} } });
  console.log(applyAll(emptyState(), []).fits, session.phase, members.length, told.undo, revision, version);
  stop();
  try {
    await room.redo();
  } catch (error) {
    if (error instanceof RoomError && error.code === "nothingToUndo") return error.what + error.help;
  }

  // @ts-expect-error there is no such event
  room.on("nothing", () => {});
  // @ts-expect-error an event of another shape
  room.on("phase", ({ elements }) => console.log(elements));
  // @ts-expect-error a frame has one address
  await mountPlayer(element, { server: ["https://a", "https://b"], uuid: "b" });
  // @ts-expect-error no server
  await joinRoom({ uuid: "b" });
  // @ts-expect-error no such type of element
  await room.insert({ type: "circle", x: 1, y: 2 });
  // @ts-expect-error a point has two coordinates
  await room.drawStroke([{ x: 1 }]);
  // @ts-expect-error members cannot be changed by writing to them
  room.members.push();
  // @ts-expect-error what only the package does
  room.attach({});
  return "";
}
`;

/** @type {[string, object][]} */
const resolutions = [
  ["node16", { module: "node16", moduleResolution: "node16" }],
  ["a bundler's older one", { module: "es2022", moduleResolution: "node" }],
];

for (const [name, options] of resolutions) {
  test(`a strict program compiles against the types: ${name}`, async () => {
    const folder = `program-${name.split(" ")[0]}`;
    // The older resolution knows no exports, so that only the main entry is found.
    const code = name === "node16" ? program : withoutCore(program);
    installed.write(`${folder}/main.ts`, code);
    const config = installed.write(
      `${folder}/tsconfig.json`,
      JSON.stringify({
        compilerOptions: {
          ...options,
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: false,
          skipLibCheck: false,
          noEmit: true,
          target: "es2022",
          lib: ["es2022", "dom", "dom.iterable"],
          types: [],
        },
        files: ["main.ts"],
      }),
    );
    const said = await promisify(execFile)("tsc", ["--project", config]).then(
      () => "",
      ({ stdout }) => stdout,
    );
    assert.equal(said, "");
  });
}

/** @param {string} code */
const withoutCore = (code) =>
  code
    .split("\n")
    .filter((line) => !/core"|new RoomSession|applyAll/.test(line))
    .join("\n");
