import { createHash } from "node:crypto";
import type { Store, Tx } from "../../../storage/store.js";
import {
  addPairing,
  clearPairingRequests,
  isPaired,
  type PairingGuesses,
  type PairingRequestRow,
  type PairingRow,
  pairingGuesses,
  pairingRequests,
  pairings,
  prunePairingRequests,
  removePairing,
  setPairingGuesses,
  setPairingRequest,
} from "../../../storage/tables/gateway/pairing.js";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import { LIMITS } from "../../base/limits.js";
import type { Clock } from "../../base/time/clock.js";
import { type EpochMs, type Ms, toIso } from "../../base/units.js";
import { type Inbound, PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import type { Paired, PairingApi } from "../../contracts/gateway/pairing.js";
import { sameText } from "../../safety/redact/same-text.js";
import { comparable, idsOf } from "./allowlists.js";

const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const LIFE_MS: Ms = 3_600_000;
/** A user gets one code in this time. */
const QUIET_MS: Ms = 600_000;
const PENDING = 3;
const WRONG_CODES = 5;
const LOCK_MS: Ms = 3_600_000;

/** The reply to a stranger who asks: a code, that none is free now, or nothing. */
export type Invitation =
  | { readonly told: "code"; readonly code: string }
  | { readonly told: "later" }
  | { readonly told: "nothing" };

export interface Pairing extends PairingApi {
  /** Whether the sender was approved. */
  isPaired(event: Inbound): Promise<boolean>;
  /** A stranger asks in a direct chat. The same event asked again gets a new code: the old one was never shown. */
  invite(event: Inbound): Promise<Invitation>;
}

export interface PairingDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Who is paired and who asked to be; each method is one transaction. */
export function createPairing({ store, clock, ids }: PairingDeps): Pairing {
  return {
    isPaired: (event) => store.read((q) => isPaired(q, event.platform, knownIds(event))),
    invite: async (event) => {
      const [user] = knownIds(event);
      if (user === undefined) return { told: "nothing" };
      const drawn = { code: drawCode(ids), salt: ids.hex(16), now: clock.now() };
      return store.write("pairing.invite", (tx) => invite(tx, event, user, drawn));
    },
    pairings: () =>
      store.read(async (q) =>
        listOf(await pairings(q), await pairingRequests(q, clock.now()), await locks(q, clock.now())),
      ),
    approvePairing: async (platform, code) => {
      const now = clock.now();
      const answer = await store.write("pairing.approve", (tx) => approve(tx, platform, code, now));
      if ("refused" in answer) throw answer.refused;
      return pairedOf(answer.row);
    },
    revokePairing: async (platform, user) => {
      const id = comparable(platform, user);
      const row = await store.write("pairing.revoke", async (tx) => {
        const found = (await pairings(tx)).find((one) => one.platform === platform && one.user_id === id);
        if (found !== undefined) await removePairing(tx, platform, id);
        return found;
      });
      if (row === undefined)
        throw new AppError("E_NOT_FOUND", `${user} is not paired on ${platform}`, {
          hint: "agent pairing list lists paired users",
        });
      return pairedOf(row);
    },
    clearPending: () => {
      const now = clock.now();
      return store.write("pairing.clear", (tx) => clearPairingRequests(tx, now));
    },
  };
}

const knownIds = (event: Inbound): readonly string[] =>
  idsOf(event).flatMap((id) => (id === null ? [] : [comparable(event.platform, id)]));

/** 40 random bits, five for each character. */
function drawCode(ids: Ids): string {
  const bits = BigInt(`0x${ids.hex(5)}`);
  return Array.from({ length: 8 }, (_, n) => ALPHABET.charAt(Number((bits >> BigInt(5 * n)) & 31n))).join("");
}

const hashOf = (salt: string, code: string): string => createHash("sha256").update(`${salt}:${code}`).digest("hex");

interface Drawn {
  readonly code: string;
  readonly salt: string;
  readonly now: EpochMs;
}

async function invite(
  tx: Tx,
  { platform, eventId, source }: Inbound,
  user: string,
  { code, salt, now }: Drawn,
): Promise<Invitation> {
  await prunePairingRequests(tx, now);
  const all = await pairingRequests(tx, now, platform);
  const mine = all.find((one) => one.user_id === user);
  const again = mine?.event_id === eventId;
  if (mine !== undefined && !again && now - mine.asked_at < QUIET_MS) return { told: "nothing" };
  const free = all.filter((one) => one.code_hash !== null && one.user_id !== user).length < PENDING;
  if (!free && ((mine !== undefined && !again) || all.length >= LIMITS.pairingRequests)) return { told: "nothing" };
  await setPairingRequest(tx, {
    platform,
    user_id: user,
    user_name: source.userName,
    event_id: eventId,
    salt,
    code_hash: free ? hashOf(salt, code) : null,
    asked_at: now,
    expires_at: now + LIFE_MS,
  });
  return free ? { told: "code", code } : { told: "later" };
}

type Approval = { readonly row: PairingRow } | { readonly refused: AppError };

/** A refusal is a value: a wrong code is counted, and that has to be kept. */
async function approve(tx: Tx, platform: string, typed: string, now: EpochMs): Promise<Approval> {
  const guesses = await pairingGuesses(tx, platform);
  if (guesses.locked_until > now) return { refused: locked(platform, guesses.locked_until) };
  const code = typed.toUpperCase().replaceAll(/[\s-]/g, "");
  const found = (await pairingRequests(tx, now, platform)).find((one) => fits(one, code));
  if (found === undefined) return { refused: await wrongCode(tx, platform, guesses, now) };
  const { user_id, user_name } = found;
  const row = { platform, user_id, user_name, approved_at: now };
  await addPairing(tx, row);
  await setPairingRequest(tx, { ...found, code_hash: null }); // it counts once, and its user gets no other so soon
  await setPairingGuesses(tx, platform, { wrong: 0, locked_until: 0 });
  return { row };
}

function fits({ salt, code_hash }: PairingRequestRow, code: string): boolean {
  return code_hash !== null && sameText(hashOf(salt, code), code_hash);
}

async function wrongCode(
  tx: Tx,
  platform: string,
  { wrong, locked_until }: PairingGuesses,
  now: EpochMs,
): Promise<AppError> {
  const count = (locked_until === 0 ? wrong : 0) + 1; // an expired lock starts over
  const until = count >= WRONG_CODES ? now + LOCK_MS : 0;
  await setPairingGuesses(tx, platform, { wrong: count, locked_until: until });
  if (until > 0) return locked(platform, until);
  return new AppError("E_NOT_FOUND", `unknown code for ${platform}`, {
    hint: `codes expire after an hour; after ${WRONG_CODES - count} more wrong codes approvals on ${platform} are locked for an hour`,
  });
}

const locked = (platform: string, until: EpochMs): AppError =>
  new AppError(
    "E_STATE",
    `after ${WRONG_CODES} wrong codes approvals on ${platform} are locked until ${toIso(until)}`,
    {
      hint: "agent pairing list lists pending codes",
    },
  );

async function locks(q: Parameters<typeof pairingGuesses>[0], now: EpochMs) {
  const all = await Promise.all(
    PLATFORM_TAGS.map(async (platform) => ({ platform, ...(await pairingGuesses(q, platform)) })),
  );
  return all
    .filter((one) => one.locked_until > now)
    .map(({ platform, locked_until }) => ({ platform, until: toIso(locked_until) }));
}

function listOf(
  paired: readonly PairingRow[],
  asked: readonly PairingRequestRow[],
  locked: Awaited<ReturnType<typeof locks>>,
) {
  const pending = asked
    .filter((one) => one.code_hash !== null)
    .map(({ platform, user_id, user_name, asked_at, expires_at }) => ({
      platform,
      user: user_id,
      name: user_name,
      asked_at: toIso(asked_at),
      expires_at: toIso(expires_at),
    }));
  return { paired: paired.map(pairedOf), pending, locked };
}

const pairedOf = ({ platform, user_id, user_name, approved_at }: PairingRow): Paired => ({
  platform,
  user: user_id,
  name: user_name,
  approved_at: toIso(approved_at),
});
