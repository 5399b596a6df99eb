import { resolve } from "node:path";
import { isWithin } from "../../paths/paths.js";

/** Where a remote of a repository is, when its address is an ordinary one. */
export type GitAddress =
  | {
      readonly kind: "http";
      readonly protocol: "http" | "https";
      readonly host: string;
      readonly path: string;
      readonly user?: string;
    }
  | { readonly kind: "ssh"; readonly host: string; readonly user?: string; readonly port?: number }
  | { readonly kind: "git" }
  | { readonly kind: "file"; readonly path: string };

const HOST = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;
const USER = /^[A-Za-z0-9_][\w.+-]*$/;

/**
 * Read the address of a remote. Undefined for everything that names a program or hides something: `ext::`, another transport, an option, a
 * password in the address, control characters. @param base directory that a relative path starts from
 */
export function readGitAddress(text: string, base: string): GitAddress | undefined {
  if (text === "" || text.startsWith("-") || text.includes("::") || !/^[\x21-\x7e]+$/.test(text)) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === "file")
    return text.startsWith("file:///") ? { kind: "file", path: resolve(text.slice("file://".length)) } : undefined;
  if (scheme !== undefined) return fromUrl(scheme, text);
  const scp = /^(?:([^@/:]+)@)?([^@/:]+):(?!\/\/)(.+)$/.exec(text);
  if (scp === null) return text.includes(":") ? undefined : { kind: "file", path: resolve(base, text) };
  return sshAddress(scp[2] ?? "", scp[1], undefined);
}

function fromUrl(scheme: string, text: string): GitAddress | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const shape = /^[a-z+]+:\/\/(?:([^@/:]*)@)?([^@/:]+)(?::(\d{1,5}))?\/(.+)$/i.exec(text);
  if (url === undefined || shape === null || url.password !== "") return undefined;
  const [, user, host = "", port] = shape;
  if (!HOST.test(host) || (user !== undefined && !USER.test(user))) return undefined;
  switch (scheme) {
    case "http":
    case "https": {
      const named = port === undefined ? host : `${host}:${port}`;
      return {
        kind: "http",
        protocol: scheme,
        host: named,
        path: shape[4] ?? "",
        ...(user === undefined ? {} : { user }),
      };
    }
    case "ssh":
    case "git+ssh":
    case "ssh+git":
      return sshAddress(host, user, port);
    case "git":
      return { kind: "git" };
    default:
      return undefined;
  }
}

function sshAddress(host: string, user: string | undefined, port: string | undefined): GitAddress | undefined {
  if (!HOST.test(host) || (user !== undefined && !USER.test(user))) return undefined;
  return {
    kind: "ssh",
    host,
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port: Number(port) }),
  };
}

/** An address that the program may set for a remote: of another machine, or a repository inside the project. */
export function isOrdinaryAddress(text: string, base: string, project: string): boolean {
  const address = readGitAddress(text, base);
  return address !== undefined && (address.kind !== "file" || isWithin(address.path, project));
}
