import { isAbsolute, join, resolve } from "node:path";
import { AppError } from "../../base/errors.js";

/** A directory of a repository. */
export interface GitOrigin {
  readonly kind: "github" | "git";
  readonly url: string;
  /** `owner/repo`, or the address: what `skills.hub.trusted` names. */
  readonly repository: string;
  readonly inner: string;
  readonly ref: string;
}

/** One entry of an index; the reader of the index checks the name. */
export interface IndexOrigin {
  readonly kind: "well-known" | "marketplace";
  readonly index: string;
  readonly name: string;
}

/** What a person names when they install a skill. */
export type HubOrigin =
  | { readonly kind: "official"; readonly name: string }
  | { readonly kind: "directory"; readonly dir: string }
  | { readonly kind: "url"; readonly url: string }
  | GitOrigin
  | IndexOrigin;

const SHORT = /^([A-Za-z0-9][A-Za-z0-9-]{0,38})\/([A-Za-z0-9._-]{1,100})((?:\/[^@#\s]+)?)(?:[@#](\S+))?$/;
const GIT_URL = /^(?:https?|ssh|git|file):\/\/\S+?\.git(?:\/[^@#\s]*)?(?:[@#]\S+)?$/;
const SCP_FORM = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:/;
const TREE = /^https:\/\/github\.com\/([^/\s]+)\/([^/\s]+)\/(?:tree|blob)\/([^/\s]+)\/([^?#\s]*)$/;
const WELL_KNOWN = /^(https?:\/\/[^/\s]+\/\.well-known\/skills)\/([a-z0-9][a-z0-9._-]{0,63})\/?(?:SKILL\.md)?$/;

/**
 * `official/<name>`, `owner/repo/path[@ref]`, an address of git, of a SKILL.md or of an archive, an entry of an index (`<index>#<name>`), or a
 * directory of this machine.
 *
 * @param place Absent: directories and `file://` are refused
 * @throws E_INVALID it is none of them; E_NOT_FOUND the directory is not there
 */
export function readIdentifier(
  text: string,
  place: { readonly cwd: string; readonly userHome: string } | undefined,
): HubOrigin {
  if (/[\u0000-\u001f\u007f]/.test(text))
    throw new AppError("E_INVALID", "the identifier of a skill holds control characters");
  const official = /^official\/(?:[a-z0-9._-]+\/)?([a-z0-9][a-z0-9._-]*)$/.exec(text)?.[1];
  if (official !== undefined) return { kind: "official", name: official };
  if (/^(?:\.{1,2}(?:\/|$)|~\/|\/)/.test(text)) {
    if (place === undefined)
      throw new AppError("E_FORBIDDEN", `${text}: directories of this machine are installed at its terminal`);
    return {
      kind: "directory",
      dir: text.startsWith("~/")
        ? join(place.userHome, text.slice(2))
        : isAbsolute(text)
          ? text
          : resolve(place.cwd, text),
    };
  }
  const [, owner, repo, ref, inner] = TREE.exec(text) ?? [];
  if (owner !== undefined && repo !== undefined && ref !== undefined && inner !== undefined)
    return github(owner, repo, inner.replace(/\/?SKILL\.md$/, ""), ref);
  if (GIT_URL.test(text) || SCP_FORM.test(text)) {
    if (place === undefined && !text.startsWith("https://"))
      throw new AppError("E_FORBIDDEN", `${text}: only https:// addresses of git are accepted here`);
    return gitOrigin(text);
  }
  if (/^https?:\/\//.test(text)) return addressOrigin(text);
  const [, shortOwner, shortRepo, path = "", shortRef = ""] = SHORT.exec(text) ?? [];
  if (shortOwner !== undefined && shortRepo !== undefined)
    return github(shortOwner, shortRepo, path.slice(1), shortRef);
  throw new AppError("E_INVALID", `'${text.slice(0, 200)}' is not the identifier of a skill`, {
    hint: "official/NAME, owner/repo/path[@ref], https://host/skill.zip, or ./directory; agent skills search finds more",
  });
}

function addressOrigin(text: string): HubOrigin {
  const [, root, name] = WELL_KNOWN.exec(text) ?? [];
  if (root !== undefined && name !== undefined) return { kind: "well-known", index: `${root}/index.json`, name };
  const [index = "", entry] = text.split("#");
  if (entry !== undefined && entry !== "") {
    const kind = index.endsWith("/.well-known/skills/index.json") ? "well-known" : "marketplace";
    return { kind, index, name: entry };
  }
  if (!URL.canParse(index)) throw new AppError("E_INVALID", `'${text.slice(0, 200)}' is not an address`);
  return { kind: "url", url: index };
}

function github(owner: string, repo: string, inner: string, ref: string): HubOrigin {
  const name = repo.replace(/\.git$/, "");
  return {
    kind: "github",
    url: `https://github.com/${owner}/${name}.git`,
    repository: `${owner}/${name}`,
    inner: checkInner(inner),
    ref: checkRef(ref),
  };
}

function gitOrigin(text: string): HubOrigin {
  const end = text.search(/\.git(?:[/@#]|$)/);
  const url = end < 0 ? text : text.slice(0, end + 4);
  const rest = end < 0 ? "" : text.slice(end + 4);
  const [inner = "", ref = ""] = rest.split(/[@#]/);
  return { kind: "git", url, repository: url, inner: checkInner(inner.replace(/^\//, "")), ref: checkRef(ref) };
}

function checkRef(ref: string): string {
  if (ref === "" || (/^[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}$/.test(ref) && !ref.includes(".."))) return ref;
  throw new AppError("E_INVALID", `'${ref.slice(0, 200)}' is not the name of a branch, tag or commit`);
}

function checkInner(inner: string): string {
  const path = inner.replace(/\/+$/, "");
  if (path === "") return "";
  const bad = (part: string) => part === "" || part === "." || part === ".." || part.toLowerCase() === ".git";
  if (path.split("/").some(bad))
    throw new AppError("E_INVALID", `'${inner.slice(0, 200)}' is not a directory of the repository`);
  return path;
}
