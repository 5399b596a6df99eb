import { isAbsolute, join, resolve } from "node:path";
import { AppError } from "../../base/errors.js";
import { statPath } from "../../base/fs/files.js";

/** What `agent plugins install` is given. */
export type PluginOrigin =
  | { readonly kind: "directory"; readonly dir: string }
  | {
      readonly kind: "git";
      readonly url: string;
      readonly ref: string;
      readonly subdir: string;
      /** What is unsafe about the address. */
      readonly warnings: readonly string[];
    };

const SHORT = /^([A-Za-z0-9][A-Za-z0-9-]*)\/([A-Za-z0-9._-]+?)(?:\.git)?((?:\/[^#\s]+)?)(?:#(.+))?$/;
const URL_FORM = /^(?:https?|ssh|git|file):\/\//;
const SCP_FORM = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:/;

/**
 * A directory, `owner/repo[/subdir][#ref]`, or an address of git: `https://host/repo.git[/subdir][#ref]`.
 *
 * @throws E_INVALID it is none of them
 */
export async function readOrigin(text: string, cwd: string, userHome: string): Promise<PluginOrigin> {
  if (text.includes("\0")) throw new AppError("E_INVALID", "the name of a plugin's source holds a NUL character");
  if (URL_FORM.test(text) || SCP_FORM.test(text)) return gitOrigin(text);
  const path = text.startsWith("~/") ? join(userHome, text.slice(2)) : resolve(cwd, text);
  const isPath = isAbsolute(text) || /^(?:\.{1,2}(?:\/|$)|~\/)/.test(text);
  if ((await statPath(path))?.kind === "directory") return { kind: "directory", dir: path };
  if (isPath) throw new AppError("E_NOT_FOUND", `no such directory: ${path}`);
  const [, owner, repo, inner = "", ref = ""] = SHORT.exec(text) ?? [];
  if (owner === undefined || repo === undefined)
    throw new AppError("E_INVALID", `'${text}' is not owner/repo, a git address or a directory`, {
      hint: "for example agent plugins install owner/repo#v1.2",
    });
  const url = `https://github.com/${owner}/${repo}.git`;
  return { kind: "git", url, ref: checkRef(ref), subdir: checkSubdir(inner.slice(1)), warnings: [] };
}

function gitOrigin(text: string): PluginOrigin {
  const [whole = "", ref = ""] = splitAt(text, text.lastIndexOf("#"));
  const end = whole.search(/\.git\/(?!\/)/);
  const url = end < 0 ? whole : whole.slice(0, end + 4);
  const subdir = end < 0 ? "" : whole.slice(end + 5);
  const warnings: string[] = [];
  if (url.startsWith("http://")) warnings.push("http:// is not encrypted: others can change what is installed");
  if (url.startsWith("git://")) warnings.push("git:// is not encrypted: others can change what is installed");
  if (url.startsWith("file://")) warnings.push("file:// is a repository on this machine");
  return { kind: "git", url, ref: checkRef(ref), subdir: checkSubdir(subdir), warnings };
}

const splitAt = (text: string, at: number): readonly [string, string] =>
  at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];

function checkRef(ref: string): string {
  if (ref === "" || /^[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}$/.test(ref)) return ref;
  throw new AppError("E_INVALID", `'${ref}' is not the name of a branch or tag`);
}

function checkSubdir(subdir: string): string {
  const parts = subdir.replace(/\/+$/, "").split("/");
  if (parts.some((part) => part === ".." || part === ".git"))
    throw new AppError("E_INVALID", `'${subdir}' is not a directory of the repository`);
  return parts.join("/");
}
