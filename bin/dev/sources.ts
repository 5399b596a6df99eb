import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders that hold the product's sources. */
export const SOURCE_FOLDERS = ["bin", "lib", "tui", "storage", "adapters", "fixtures"] as const;

/** TypeScript files (`.ts`, `.tsx`) under `folder`, sorted, with `/` in their paths; `.` is the whole product. */
export function sourceFiles(folder: string): string[] {
  const roots = folder === "." ? SOURCE_FOLDERS : [folder];
  return roots
    .filter((root) => existsSync(root))
    .flatMap((root) => readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name)))
    .filter((path) => /\.tsx?$/.test(path) && !path.includes("node_modules"))
    .toSorted();
}
