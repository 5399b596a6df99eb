import * as z from "zod";
import type { SocialSearch } from "../../contracts/media/social.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";

const handles = z.array(z.string().max(200)).max(200).default([]);
const date = z.string().max(40).optional();

const params = z.object({
  query: z.string().max(4_000).describe("What to look for, as a question or a topic."),
  allowed_x_handles: handles.describe(
    "Posts of these accounts alone, at most 10. Not together with excluded_x_handles.",
  ),
  excluded_x_handles: handles.describe("No posts of these accounts, at most 10."),
  from_date: date.describe("First day, YYYY-MM-DD."),
  to_date: date.describe("Last day, YYYY-MM-DD."),
  enable_image_understanding: z.boolean().default(false).describe("Look at pictures in posts; costs more."),
  enable_video_understanding: z.boolean().default(false).describe("Look at videos in posts; costs more."),
});

type Given = z.output<typeof params>;

export default defineTool({
  name: "x_search",
  toolset: "x_search",
  description:
    "Search posts on X (Twitter) with the vendor's own search and get an answer with the posts that it cites. " +
    "For what people say now; for pages use web_search. Each call is billed by the vendor.",
  params,
  risk: "external",
  core: false,
  secrets: "refused",
  available: ({ outside }) => outside?.social?.offered() ?? "nothing searches posts here",
  effects: () => ({ reads: ["net"], writes: [] }),
  // Each attempt has a limit of its own, x_search.timeout_seconds.
  limits: { ms: 4 * 3_600_000, chars: 100_000 },
  preview: ({ query }) => `search-vendor: ${query}`.slice(0, 120),
  run,
});

async function run(given: Given, ctx: ToolContext): Promise<ToolResult> {
  const { social, clock } = ctx.ports;
  const wanted = checkedSearch(given, new Date(clock.now()).toISOString().slice(0, 10));
  if (typeof wanted === "string") return failed("invalid_arguments", wanted);
  if (social === undefined) return failed("auth_required", "nothing searches posts here");
  const envelope = await social.search(wanted, ctx.progress, ctx.signal);
  return { text: jsonResult(envelope), ...(envelope.success ? {} : { status: "error" }) };
}

const failed = (type: string, error: string): ToolResult => ({
  text: jsonResult({ success: false, provider: "search-vendor", tool: "x_search", error, error_type: type }),
  status: "error",
});

const MOST_HANDLES = 10;
const HANDLE = /^[A-Za-z0-9_]{1,15}$/;

/** The search, or what is wrong with it. Nothing was sent. @param today `YYYY-MM-DD`, in UTC */
function checkedSearch(given: Given, today: string): SocialSearch | string {
  const query = given.query.trim();
  if (query === "") return "query must not be blank";
  const allowedHandles = handlesIn("allowed_x_handles", given.allowed_x_handles);
  if (typeof allowedHandles === "string") return allowedHandles;
  const excludedHandles = handlesIn("excluded_x_handles", given.excluded_x_handles);
  if (typeof excludedHandles === "string") return excludedHandles;
  if (allowedHandles.length > 0 && excludedHandles.length > 0)
    return "allowed_x_handles and excluded_x_handles cannot be used together; leave one out";
  const { from_date: fromDate, to_date: toDate } = given;
  const wrong = dateProblem("from_date", fromDate) ?? dateProblem("to_date", toDate);
  if (wrong !== undefined) return wrong;
  if (fromDate !== undefined && toDate !== undefined && fromDate > toDate)
    return `from_date ${fromDate} is after to_date ${toDate}`;
  if (fromDate !== undefined && fromDate > today)
    return `from_date ${fromDate} is in the future (today is ${today}, UTC)`;
  return {
    query,
    allowedHandles,
    excludedHandles,
    ...(fromDate === undefined ? {} : { fromDate }),
    ...(toDate === undefined ? {} : { toDate }),
    images: given.enable_image_understanding,
    videos: given.enable_video_understanding,
  };
}

function handlesIn(name: string, given: readonly string[]): readonly string[] | string {
  const found = given.map((handle) => handle.trim().replace(/^@+/, "")).filter((handle) => handle !== "");
  const wrong = found.find((handle) => !HANDLE.test(handle));
  if (wrong !== undefined)
    return `${name}: ${JSON.stringify(wrong.slice(0, 100))} is not a handle (1 to 15 letters, digits and _)`;
  return found.length > MOST_HANDLES
    ? `${name} must have at most ${MOST_HANDLES} handles (has ${found.length})`
    : found;
}

function dateProblem(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const real =
    /^\d{4}-\d\d-\d\d$/.test(text) &&
    !Number.isNaN(Date.parse(text)) &&
    new Date(Date.parse(text)).toISOString().slice(0, 10) === text;
  return real ? undefined : `${name} must be a real date in the form YYYY-MM-DD, not ${JSON.stringify(text)}`;
}
