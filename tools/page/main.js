// What `tools/web` runs under Node.
import { report } from "./check.js";
import { embed } from "./embed.js";

switch (process.argv[2]) {
  case "embed":
    console.error(embed() ? "PageFiles.swift is written anew." : "PageFiles.swift is up to date.");
    break;
  case "check":
    process.exitCode = report() ? 0 : 1;
    break;
  case "pictures":
    await (await import("./pictures.js")).takeAll(process.argv.slice(3));
    break;
  default:
    process.exitCode = 64;
}
