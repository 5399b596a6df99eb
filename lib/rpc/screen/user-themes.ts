import { join } from "node:path";
import type * as z from "zod";
import { listUnsortedNames } from "../../base/fs/home-files.js";
import { readTextSync } from "../../base/fs/text-file.js";
import { type OwnTheme, ThemeFile } from "../../contracts/ui/theme.js";

const MAX_THEMES = 100;
const MAX_CHARS = 64 * 1024;

/** The themes of the user, in `themes/` of a home. A file that is wrong is listed with what is wrong. */
export async function readThemes(home: string): Promise<readonly OwnTheme[]> {
  const dir = join(home, "themes");
  const files = listUnsortedNames(dir)
    .filter((name) => /^[\w.-]+\.ya?ml$/.test(name))
    .sort();
  return await Promise.all(files.slice(0, MAX_THEMES).map((file) => readTheme(dir, file)));
}

async function readTheme(dir: string, file: string): Promise<OwnTheme> {
  const name = file.replace(/\.ya?ml$/, "");
  try {
    const text = readTextSync(join(dir, file)) ?? "";
    if (text.length > MAX_CHARS) return { name, error: `themes/${file} exceeds ${MAX_CHARS} characters` };
    const { parse } = await import("yaml");
    const read = ThemeFile.safeParse(parse(text, { maxAliasCount: 0 }) ?? {});
    return read.success ? { name, file: read.data } : { name, error: `themes/${file}: ${wrong(read.error)}` };
  } catch (error) {
    return {
      name,
      error: `themes/${file}: ${error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)}`,
    };
  }
}

/** The first thing that is wrong, and where it stands. */
function wrong(error: z.ZodError): string {
  const [issue] = error.issues;
  const at = issue?.path.join(".") ?? "";
  return `${at === "" ? "" : `${at}: `}${issue?.message ?? "cannot be read"}`;
}
