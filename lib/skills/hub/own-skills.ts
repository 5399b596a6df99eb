import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { type ReadFiles, readChanged } from "../catalog/facts.js";
import { scanRoot } from "../catalog/scan.js";
import type { HubDeps } from "./hub-deps.js";

/** Skills of the home by name, of any origin. */
export async function homeSkills(
  home: HubDeps["home"],
): Promise<readonly { readonly name: string; readonly dir: string }[]> {
  const { skills } = await scanRoot({ dir: join(home.dir, "skills"), origin: "user" });
  const read: ReadFiles = new Map();
  await readChanged(skills, read);
  return skills.flatMap(({ file, dir }) => {
    const name = read.get(file)?.facts?.name;
    return name === undefined ? [] : [{ name, dir }];
  });
}

export const isOwn = async (name: string, home: HubDeps["home"]): Promise<boolean> =>
  (await homeSkills(home)).some((one) => one.name === name);

export async function ownSkill(name: string, home: HubDeps["home"]) {
  const skills = await homeSkills(home);
  const found = skills.filter((one) => one.name === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined)
    throw new AppError("E_AMBIGUOUS", `several skills are called ${name}: ${found.map(({ dir }) => dir).join(", ")}`);
  throw new AppError("E_NOT_FOUND", `unknown skill '${name}'`, {
    hint: `skills of the home: ${skills.map((one) => one.name).join(", ") || "none"}`,
  });
}
