import { join } from "node:path";
import { exists as isThere, listUnsortedNames } from "../base/fs/home-files.js";
import { skillNamesBelow } from "../base/fs/skill-names.js";

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Where the profiles of a root are: `default` is the root itself, the others lie under `profiles/`. Looks at the disk each time. */
export interface ProfilePlaces {
  readonly base: string;
  dirOf(name: string): string;
  exists(name: string): boolean;
  /** `default` first. */
  names(): readonly string[];
}

export function profilePlaces(root: string): ProfilePlaces {
  const base = join(root, "profiles");
  const dirOf = (name: string) => (name === "default" ? root : join(base, name));
  const exists = (name: string) => name === "default" || (NAME.test(name) && isThere(dirOf(name)));
  return {
    base,
    dirOf,
    exists,
    names: () => [
      "default",
      ...listUnsortedNames(base)
        .filter((name) => name !== "default" && exists(name))
        .toSorted(),
    ],
  };
}

/** The name can be that of a profile, apart from reserved words. */
export const isProfileName = (name: string): boolean => NAME.test(name);

/** Skills of a profile by name, in whichever category; those of the product are not counted. */
export const skillNamesOf = (dir: string): readonly string[] => skillNamesBelow(join(dir, "skills"));
