// What `tools/web` runs under Node.
import { report } from "./check.js";

switch (process.argv[2]) {
  case "check":
    process.exitCode = report() ? 0 : 1;
    break;
  case "pack":
    console.log((await import("./package.js")).pack());
    break;
  case "pictures":
    await (await import("./pictures.js")).takeAll(process.argv.slice(3));
    break;
  default:
    process.exitCode = 64;
}
