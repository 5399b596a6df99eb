import { join } from "node:path";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import { isRecord, jsonOf } from "../../base/json/record.js";
import type { Clock } from "../../base/time/clock.js";
import type { HookConsent } from "../../contracts/hooks/hooks-api.js";
import type { HookFiles } from "./hook-files.js";
import type { ShellHook } from "./shell-hook.js";

/** Approvals of shell hooks: `hook-consents.json` of the home, which no tool writes. Read at every question, since another process may have changed it. */
export interface HookConsents {
  of(hook: ShellHook, files: HookFiles): HookConsent;
  /** Approve these bytes. */
  accept(hook: ShellHook, files: HookFiles): void;
  /** @returns how many approvals are gone */
  revoke(command: string): number;
}

interface Entry {
  readonly event: string;
  readonly command: string;
  /** Hashes of its files, in the order of its words. */
  readonly digests: readonly string[];
  readonly at: number;
}

const FILE = "hook-consents.json";

export function hookConsents(home: string, clock: Clock): HookConsents {
  const path = join(home, FILE);
  const entries = (): readonly Entry[] => {
    const read = jsonOf(readTextSync(path) ?? "");
    const given = isRecord(read) ? read["consents"] : undefined;
    return Array.isArray(given) ? given.filter(isEntry) : [];
  };
  const write = (consents: readonly Entry[]) =>
    replaceTextFile(path, `${JSON.stringify({ version: 1, consents }, null, 2)}\n`, 0o600);
  const same = (entry: Entry, { event, command }: ShellHook) => entry.event === event && entry.command === command;
  return {
    of: (hook, files) => {
      if (!files.ok) return "missing";
      const known = entries().filter((entry) => same(entry, hook));
      if (known.some(({ digests }) => digests.join() === digestsOf(files).join())) return "approved";
      return known.length === 0 ? "new" : "changed";
    },
    accept: (hook, files) => {
      const entry = { event: hook.event, command: hook.command, digests: digestsOf(files), at: clock.now() };
      write([...entries().filter((one) => !same(one, hook)), entry]);
    },
    revoke: (command) => {
      const all = entries();
      const left = all.filter((entry) => entry.command !== command);
      if (left.length < all.length) write(left);
      return all.length - left.length;
    },
  };
}

const digestsOf = (files: HookFiles): readonly string[] => (files.ok ? files.files.map(({ digest }) => digest) : []);

function isEntry(value: unknown): value is Entry {
  return (
    isRecord(value) &&
    typeof value["event"] === "string" &&
    typeof value["command"] === "string" &&
    Array.isArray(value["digests"])
  );
}
