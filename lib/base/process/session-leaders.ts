import { readFileSync, readlinkSync } from "node:fs";
import { systemCode } from "../errors.js";
import { findProcess, listProcesses, type ProcessRow } from "./process.js";
import type { Leader } from "./spawn.js";

/** A process that has ended, or that belongs to another user. */
const NOT_TOLD = ["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"];

/** Processes of this user that lead a session of their own. Linux only: elsewhere the system does not tell enough of them. */
export function leadersOf(boot: string): readonly Leader[] {
  if (process.platform !== "linux") return [];
  const leading = listProcesses().filter((row) => !row.zombie && row.session === row.pid && row.group === row.pid);
  return leading.flatMap((row) => toldOf(row, boot) ?? []);
}

function toldOf({ pid, start }: ProcessRow, boot: string): Leader | undefined {
  try {
    const dir = `/proc/${pid}`;
    const words = (name: string) => readFileSync(`${dir}/${name}`, "utf8").split("\0").slice(0, -1);
    const told = {
      id: { pid, start, boot },
      args: words("cmdline"),
      env: words("environ"),
      input: readlinkSync(`${dir}/fd/0`),
    };
    return findProcess(pid)?.start === start ? told : undefined; // all of it is of one process
  } catch (error) {
    if (NOT_TOLD.includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}
