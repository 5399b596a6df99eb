import type { Server } from "node:http";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";

/** Accept no further connections. Running requests get the grace, then are cut off; idle connections end at once. */
export async function closeServer(server: Server, grace: Ms, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  if (grace <= 0) server.closeAllConnections();
  const cancel = clock.after(grace, () => server.closeAllConnections());
  await closed;
  cancel();
}
