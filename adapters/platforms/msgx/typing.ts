import type { Clock } from "../../../lib/base/time/clock.js";
import type { Platform } from "../../../lib/contracts/gateway/platform.js";
import type { Api } from "./api.js";
import { TicketShape } from "./wire.js";

const TICKET_MS = 600_000;
const CALL_MS = 1500;
const TICKETS = 500;

export interface TypingParts {
  readonly api: Api;
  readonly clock: Clock;
  readonly tokenOf: (user: string) => string | undefined;
}

/** Show that an answer is being written; best effort. The right to do so is asked for once in ten minutes. */
export function createTyping({ api, clock, tokenOf }: TypingParts): NonNullable<Platform["typing"]> {
  const tickets = new Map<string, { readonly ticket: string; readonly until: number }>();
  const ticketOf = async (user: string, signal: AbortSignal) => {
    const known = tickets.get(user);
    if (known !== undefined && known.until > clock.mono()) return known.ticket;
    const token = tokenOf(user);
    const body = { ilink_user_id: user, ...(token === undefined ? {} : { context_token: token }) };
    const answer = await api.call("getconfig", body, { signal, totalMs: CALL_MS });
    const ticket = answer.ok ? TicketShape.safeParse(answer.result).data?.typing_ticket : undefined;
    if (ticket === undefined) return undefined;
    tickets.set(user, { ticket, until: clock.mono() + TICKET_MS });
    const [oldest] = tickets.keys();
    if (tickets.size > TICKETS && oldest !== undefined) tickets.delete(oldest);
    return ticket;
  };
  return async (chatId, on, signal) => {
    const ticket = await ticketOf(chatId, signal);
    if (ticket === undefined) return;
    await api.call(
      "sendtyping",
      { ilink_user_id: chatId, typing_ticket: ticket, status: on ? 1 : 2 },
      { signal, totalMs: CALL_MS },
    );
  };
}
