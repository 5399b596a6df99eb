import { join } from "node:path";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import { isRecord, jsonOf } from "../../base/json/record.js";
import type { Clock } from "../../base/time/clock.js";
import type { HookConsent } from "../../contracts/hooks/hooks-api.js";
import { type HookFiles, type HookPlace, openHookFiles } from "./hook-files.js";
import type { ShellHook } from "./shell-hook.js";

/** Approvals of shell hooks: `hook-consents.json` of the home, which no tool writes. Read at every question, since another process may have changed it. */
export interface HookConsents {
  /** Open the files of a hook, and compare their bytes with those that were approved. */
  inspect(hook: ShellHook): { readonly files: HookFiles; readonly consent: HookConsent };
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

/** @see HookConsents */
export function openHookConsents(place: HookPlace, clock: Clock): HookConsents {
  const path = join(place.home, FILE);
  const entries = (): readonly Entry[] => {
    const read = jsonOf(readTextSync(path) ?? "");
    const given = isRecord(read) ? read["consents"] : undefined;
    return Array.isArray(given) ? given.filter(isEntry) : [];
  };
  const write = (consents: readonly Entry[]) =>
    replaceTextFile(path, `${JSON.stringify({ version: 1, consents }, null, 2)}\n`, 0o600);
  const same = (entry: Entry, { event, command }: ShellHook) => entry.event === event && entry.command === command;
  const consentTo = (hook: ShellHook, files: HookFiles): HookConsent => {
    if (!files.ok) return "missing";
    const known = entries().filter((entry) => same(entry, hook));
    if (known.some(({ digests }) => digests.join() === digestsOf(files).join())) return "approved";
    return known.length === 0 ? "new" : "changed";
  };
  return {
    inspect: (hook) => {
      const files = openHookFiles(hook, place);
      return { files, consent: consentTo(hook, files) };
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

/** Why a hook does not run, in lists and checks. */
export const NOT_RUN: Readonly<Record<HookConsent, string>> = {
  approved: "",
  new: "it has not been approved (agent hooks approve)",
  changed: "it has changed since it was approved (agent hooks approve)",
  missing: "its program does not exist",
};

/** The message of a call that a policy hook without approval blocks. */
export const notApproved = (hook: ShellHook, consent: HookConsent): string =>
  `blocked: policy hook '${hook.command}' ${consent === "changed" ? "has changed since it was approved" : "has not been approved"}. To approve it, run: ${approveCommand(hook)}`;

/** The command line that approves a hook. */
export const approveCommand = ({ command }: ShellHook): string =>
  `agent hooks approve '${command.replaceAll("'", "'\\''")}'`;
