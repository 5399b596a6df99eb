import * as z from "zod";
import type { Account, Cursor, Inlet } from "../../../lib/contracts/board/platform-tag.js";

/** Threads of one direct chat that are remembered; the platform begins one with every message, so old ones are forgotten. */
const KEPT = 300;

const Stored = z.array(z.tuple([z.string(), z.string()])).catch([]);

/** Which conversation a message of a direct chat belongs to, and what is stored with it in the same commit. */
export interface Placed {
  /** The thread was there before: it is a conversation of its own. */
  readonly side: boolean;
  readonly cursor: Cursor;
}

/**
 * Every message of a direct chat begins a thread, so only a thread that comes again is one that a person went into (gateway part, 16.5.1). What
 * is stored names the first message of each, so that the same message delivered again is placed as before.
 */
export async function placeInThread(
  inlet: Pick<Inlet, "cursor">,
  account: Account,
  { space, thread, message }: { readonly space: string; readonly thread: string; readonly message: string },
): Promise<Placed> {
  const name = `threads:${space}`;
  const known = Stored.parse(JSON.parse((await inlet.cursor(account, name)) ?? "[]"));
  const first = known.find(([one]) => one === thread)?.[1];
  // What is used goes to the end, so that what is forgotten was not used for longest.
  const kept = [...known.filter(([one]) => one !== thread), [thread, first ?? message]].slice(-KEPT);
  return { side: first !== undefined && first !== message, cursor: { ...account, name, value: JSON.stringify(kept) } };
}
