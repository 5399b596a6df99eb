import { toAppError } from "../../base/errors.js";
import { listUnsortedNames } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";
import type { Check } from "../../contracts/check.js";
import type { Stores } from "./stores.js";

/** The file, its journal, and the mark that it was made. */
const isOfSessions = (name: string): boolean => /^sessions\.db(-wal|-journal|\.made)?$/.test(name);

/** Look at the store of messages, jobs, webhooks and pairings, and at its files. */
export async function checkState(stores: Stores): Promise<Check> {
  const files = await stores.inspectState();
  const opens = await check("state", files !== undefined, async () => (await stores.state()).lastSeq());
  if (files === undefined || opens.status !== "ok") return opens;
  const { findings, lost, folder } = files;
  if (findings.length > 0) {
    const fix = "back up the home, then restart the owner: it writes a new checkpoint";
    return { name: "state", status: "warn", detail: `opens, but ${findings.join("; ")}`, fix };
  }
  if (lost.length === 0) return opens;
  const detail = `opens, but recovery removed ${lost.length} damaged part(s): ${lost.slice(0, 3).join(", ")}`;
  return {
    name: "state",
    status: "warn",
    detail,
    fix: `see the notes in ${folder}, then delete that folder`,
  };
}

async function check(name: string, made: boolean, look: () => Promise<unknown>): Promise<Check> {
  if (!made) return { name, status: "ok", detail: "not created yet" };
  try {
    await look();
    return { name, status: "ok", detail: "opens" };
  } catch (error) {
    const known = toAppError(error);
    return { name, status: "fail", detail: known.message, fix: known.hint };
  }
}

/** Look at the store of sessions. */
export const checkSessions = (home: Home, stores: Stores): Promise<Check> =>
  check("sessions", listUnsortedNames(home.dir).some(isOfSessions), async () => (await stores.sessions()).lastSeq());

const PREFIX = "home ";

/** A check of a store of the home among those of a board. */
export const isOfHome = ({ name }: Check): boolean => name.startsWith(PREFIX);

/** What is wrong with stores of the home, for a reader of a board: without messages and sessions its tasks are worked by no one. */
export async function checkHomeStores(home: Home, stores: Stores): Promise<readonly Check[]> {
  const checks = [await checkState(stores), await checkSessions(home, stores)];
  return checks.filter(({ status }) => status !== "ok").map((found) => ({ ...found, name: `${PREFIX}${found.name}` }));
}
