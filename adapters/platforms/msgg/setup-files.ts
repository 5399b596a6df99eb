import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import type { Finished, Grants } from "./grants.js";

export const SETUP_FILES = "setup-files";

const NO_CLIENT =
  "Files cannot be sent here yet: the owner of this agent must install a client file first, with agent gateway setup msgg --client-secret <file>.";
const START = "/setup-files start gives you the address where you agree.";

const ENDS: Readonly<Record<Finished, string>> = {
  granted: "✅ Done: files can be sent to you here now. /setup-files revoke takes it back.",
  "not begun": `⚠️ Nothing waits for this code, or it waited too long. ${START}`,
  "wrong state":
    "⛔ This address does not belong to what you began: its state is another. Nothing was changed; paste the address of your own page.",
  "no code": "⚠️ No code in this address. Did you agree on the page? Paste the complete final address.",
  refused: `⚠️ The platform refused the code. ${START}`,
  unreachable: `⚠️ The platform could not be reached. ${START}`,
};

/** The command `/setup-files` (gateway part, 16.5.4): a user lets the agent upload files in their name. Its sender may run it. */
export async function setupFiles(grants: Grants, { text, source }: Inbound, signal: AbortSignal): Promise<string> {
  if (source.chatType !== "dm") return "/setup-files works in a direct chat with me only.";
  const email = source.userId ?? "";
  if (!email.includes("@")) return "⚠️ The platform does not tell your address, so nothing can be set up for you.";
  const [, given = ""] = /^\S+\s+(\S+)/.exec(text.trim()) ?? [];
  switch (given) {
    case "":
      return statusOf(await grants.status(email));
    case "start": {
      const address = await grants.begin(email);
      if (address === undefined) return NO_CLIENT;
      return `Open this address and agree within 10 minutes. The page that it leads to cannot be shown: copy its whole address and send it here as\n/setup-files <address>\n\n${address}`;
    }
    case "revoke":
      return (await grants.revoke(email, signal))
        ? "Done: your grant is revoked and deleted."
        : "You have not granted access.";
    default:
      return ENDS[await grants.finish(email, given, signal)];
  }
}

function statusOf(status: Awaited<ReturnType<Grants["status"]>>): string {
  switch (status) {
    case "no client":
      return NO_CLIENT;
    case "granted":
      return "✅ Files can be sent to you here. /setup-files revoke takes it back.";
    case "pending":
      return `You have begun: send the address that the page led to, as /setup-files <address>. ${START}`;
    default:
      return `Files cannot be sent to you yet. ${START}`;
  }
}
