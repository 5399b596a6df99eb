import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { Secret } from "../../base/secret.js";
import { sameText } from "../../safety/redact/same-text.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";
import { requirePerson } from "../params/board-target.js";
import { holdListener } from "../params/hold-listener.js";
import { entryLines } from "./text.js";

export default defineCommand({
  path: "dashboard",
  summary: "Open the dashboard for browsers; Ctrl+C closes it.",
  topic: "dashboard",
  params: z.object({
    port: z
      .number()
      .int()
      .min(0)
      .max(65_535)
      .optional()
      .describe("port to listen on (default dashboard.port, 0 = any free port)"),
    host: z.string().min(1).optional().describe("address to listen on (default dashboard.host)"),
    no_open: z.boolean().default(false).describe("do not open a browser"),
    open_profile: z.string().min(1).optional().describe("profile to show first"),
    status: z.boolean().default(false).describe("only report whether a dashboard is open; exit 0 if so, else 1"),
    stop: z.boolean().default(false).describe("close open dashboards"),
  }),
  surfaces: ["cli"],
  access: "admin",
  self: "secrets",
  follow: true,
  listens: true,
  asksWith: ["--status", "--stop"],
  run: async ({ port, host, no_open: quiet, open_profile: profile, status, stop }, ctx) => {
    await requirePerson(ctx);
    if (status && stop) throw new AppError("E_USAGE", "--status and --stop exclude each other");
    if (status) return tell(ctx);
    if (stop) return close(ctx);
    const names = profile === undefined ? [] : (await ctx.profiles.list(ctx.home.profile)).map(({ name }) => name);
    if (profile !== undefined && !names.includes(profile))
      throw new AppError("E_USAGE", `unknown profile '${profile}'`);
    const set = ctx.env["AGENT_DASHBOARD_SESSION_TOKEN"] ?? "";
    // Of the caller: the process that listens may be another one, which was started without it.
    const token = set === "" ? undefined : new Secret(set);
    const open = await ctx.dashboard.open({ host, port, token });
    const url = withProfile(open.entryUrl(), profile);
    if (!quiet && ctx.tty === true && !ctx.json)
      await ctx.dashboard.browse(withProfile(open.entryUrl(), profile), ctx.env);
    const { listener } = open;
    const told = {
      ready: `DASHBOARD_READY port=${listener.port}\n${url}`,
      data: { port: listener.port, url: listener.url, entry_url: url },
      banner: [...entryLines(open, open.held.already), ...otherToken(open, token)],
    };
    return holdListener(open.held, told, ctx);
  },
});

/** Only one that is open already has another one. */
const otherToken = ({ token }: { readonly token: Secret }, wanted: Secret | undefined): readonly string[] =>
  wanted === undefined || sameText(wanted.reveal(), token.reveal())
    ? []
    : [
        "agent: AGENT_DASHBOARD_SESSION_TOKEN is ignored: the dashboard was opened with another token; agent dashboard token prints it",
      ];

const withProfile = (url: string, profile: string | undefined): string =>
  profile === undefined ? url : url.replace("#", `?profile=${encodeURIComponent(profile)}#`);

async function tell({ dashboard }: CommandContext): Promise<CommandResult> {
  const open = (await dashboard.list()).map(({ listener: { url, host, port, since, heldBy } }) => ({
    url,
    host,
    port,
    since,
    held_by: heldBy,
  }));
  const failure = await dashboard.failure();
  const why = failure === undefined ? "" : `; the owner failed to open it: ${failure}`;
  return {
    text: open.length === 0 ? `no dashboard is open${why}` : open.map(({ url }) => `open: ${url}`).join("\n"),
    data: { running: open.length > 0, listeners: open, failure: failure ?? null },
    exit: open.length > 0 ? 0 : 1,
  };
}

async function close({ dashboard }: CommandContext): Promise<CommandResult> {
  const closed = await dashboard.close();
  return { text: closed === 0 ? "no dashboard is open" : "closed", data: { closed }, exit: closed === 0 ? 1 : 0 };
}
