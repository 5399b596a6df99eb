import { AppError } from "../../../base/errors.js";
import type { SessionId } from "../../../base/units.js";
import type { SessionRecord } from "../../../contracts/chat/chat.js";
import type { DashboardParts } from "../../core/parts.js";

/** The session of a path; no beginning of an id and no title names one here. @throws E_NOT_FOUND */
export async function findSession({ chat }: Pick<DashboardParts, "chat">, id: string): Promise<SessionRecord> {
  const found = await chat.get(id as SessionId); // proved by the look-up
  if (found !== undefined) return found;
  throw new AppError("E_NOT_FOUND", `no such session: ${JSON.stringify(id.slice(0, 80))}`);
}
