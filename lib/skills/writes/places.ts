import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { inspectPath } from "../../base/fs/tree-read.js";

const NAME = /^[a-z0-9][a-z0-9._-]*$/;
const NAME_MAX = 64;
/** Categories may lie in each other so deep. */
const CATEGORIES_MAX = 4;

/** Directories of a skill in which supporting files lie. */
const SUPPORT = ["references", "templates", "scripts", "assets"] as const;
/** Names that are passed over when skills are looked for. */
const RESERVED: ReadonlySet<string> = new Set([...SUPPORT, "node_modules"]);

const invalid = (message: string, hint: string) => new AppError("E_INVALID", message, { hint });

/** @throws E_INVALID */
export function checkSkillName(name: string): void {
  if (!NAME.test(name) || name.length > NAME_MAX || RESERVED.has(name))
    throw invalid(
      `${JSON.stringify(name.slice(0, 80))} is not a valid name of a skill`,
      `use lower-case letters, digits, '.', '_' and '-', at most ${NAME_MAX} characters`,
    );
}

/** Names of the directories of a category. @throws E_INVALID */
export function categoryParts(category: string | undefined): readonly string[] {
  if (category === undefined || category === "") return [];
  const parts = category.split("/");
  const wrong = parts.some((part) => !NAME.test(part) || part.length > NAME_MAX || RESERVED.has(part));
  if (wrong || parts.length > CATEGORIES_MAX)
    throw invalid(
      `${JSON.stringify(category.slice(0, 80))} is not a valid category`,
      `use lower-case names with '/' between them, at most ${CATEGORIES_MAX}, e.g. devops/deploy`,
    );
  return parts;
}

const PATH_MAX = 200;
const DEPTH_MAX = 8;
/** Control, format and private characters, which a reader does not see, and what other systems forbid in names. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\\:*?"<>|]/u;

/** Path of a supporting file relative to its skill, as given. @throws E_INVALID */
export function checkFilePath(given: string): string {
  const parts = given.split("/");
  const [first = ""] = parts;
  const where = `give a path like references/api.md, below ${SUPPORT.join(", ")}`;
  const named = JSON.stringify(given.slice(0, 120));
  if (!(SUPPORT as readonly string[]).includes(first) || parts.length < 2)
    throw invalid(`${named} is not a place of a supporting file`, where);
  const bad = parts.find(
    (part) => part === "" || part.startsWith(".") || /[. ]$|^ /.test(part) || UNSEEN.test(part) || part.length > 100,
  );
  if (bad !== undefined || given.length > PATH_MAX || parts.length > DEPTH_MAX || given !== given.normalize("NFC"))
    throw invalid(`${named} is not a valid path of a supporting file`, where);
  return given;
}

/**
 * No part of the way from `root` to `path` is a link or something other than a directory. Parts that are missing are fine.
 *
 * @throws E_FORBIDDEN naming the link, E_INVALID
 */
export function checkWay(root: string, path: string): void {
  let at = root;
  for (const part of path.split("/").slice(0, -1)) {
    at = join(at, part);
    const found = inspectPath(at);
    if (found === undefined) return;
    if (found === "unreadable")
      throw new AppError("E_STORE", `${at}: permission denied`, {
        path: at,
        hint: "make the skills directory readable and writable for you",
      });
    if (found.kind === "link")
      throw new AppError("E_FORBIDDEN", `${at} is a symbolic link: skills are not changed through links`, {
        path: at,
        hint: "edit the files where the link leads",
      });
    if (found.kind !== "directory") throw invalid(`${at} is not a directory`, "move it away, then retry");
  }
}
