import * as z from "zod";
import { AppError, toAppError } from "../../../lib/base/errors.js";
import type { Ms } from "../../../lib/base/units.js";
import type { LoginPorts, LoginResult } from "../../../lib/gateway/adapter/define-platform.js";
import { baseAddress } from "../common/base-address.js";
import { baseInfo, headersOf, parseAnswer } from "./api.js";
import { isPlatforms, OFFICIAL } from "./settings.js";

const CodeShape = z.object({ qrcode: z.string().min(1), qrcode_img_content: z.string().min(1) });
const StatusShape = z.object({
  status: z.string(),
  bot_token: z.string().optional(),
  ilink_bot_id: z.string().optional(),
  baseurl: z.string().optional(),
  redirect_host: z.string().optional(),
});

const ALL_MS: Ms = 480_000;
const POLL_MS: Ms = 1000;
const CALL_MS: Ms = 40_000;
const CODES = 3;
const ANSWER_BYTES = 1 << 20;

type Status = z.infer<typeof StatusShape>;

/** Log in with a code that a person scans (gateway part, 16.7.6). @throws E_CONFIG, E_STATE with what to do */
export async function logIn(ports: LoginPorts): Promise<LoginResult> {
  const { settings, others, clock } = ports;
  const base = baseAddress(
    "MSGX_BASE_URL",
    settings.text("BASE_URL")?.trim() || OFFICIAL.base,
    others("gateway").flag("ALLOW_INSECURE_API_BASE", false),
  );
  const ends = clock.mono() + ALL_MS;
  for (let codes = 0; codes < CODES; codes++) {
    const token = settings.text("TOKEN");
    const code = CodeShape.safeParse(
      await ask(ports, {
        url: `${base}/ilink/bot/get_bot_qrcode?bot_type=3`,
        body: { local_token_list: token === undefined ? [] : [token] },
      }),
    ).data;
    if (code === undefined) throw failed("the platform gives no code to scan");
    await ports.code(code.qrcode_img_content);
    const result = await followed(ports, { base, qrcode: code.qrcode, ends });
    if (result !== "expired") return result;
    await ports.say("The code has expired.");
  }
  throw failed(`${CODES} codes expired without being scanned`);
}

interface Following {
  readonly base: string;
  readonly qrcode: string;
  readonly ends: number;
}

async function followed(ports: LoginPorts, { base, qrcode, ends }: Following): Promise<LoginResult | "expired"> {
  let host = base;
  let digits = "";
  let said = "";
  while (ports.clock.mono() < ends) {
    const query = new URLSearchParams({ qrcode, ...(digits === "" ? {} : { verify_code: digits }) });
    const status = StatusShape.safeParse(
      await ask(ports, { url: `${host}/ilink/bot/get_qrcode_status?${query}` }),
    ).data;
    if (status === undefined) throw failed("the platform does not say whether the code was scanned");
    if (status.status === "expired") return "expired";
    if (status.status === "confirmed") return resultOf(status, base);
    if (status.status === "binded_redirect")
      return { variables: {}, message: "this bot is logged in already: nothing was changed" };
    if (status.status === "verify_code_blocked")
      throw failed("the platform takes no more digits for now: try again later");
    if (status.status === "need_verifycode") digits = await digitsOf(ports, digits);
    if (status.status === "scaned_but_redirect") host = hostOf(status, base);
    if (status.status === "scaned" && said !== status.status) await ports.say("Scanned. Confirm it on the phone.");
    said = status.status;
    await ports.clock.sleep(POLL_MS, ports.signal);
  }
  throw failed("the login was not confirmed within 8 minutes");
}

const failed = (message: string) => new AppError("E_STATE", message, { hint: "agent gateway login msgx begins again" });

function resultOf(
  { bot_token: token = "", ilink_bot_id: account = "", baseurl = "" }: Status,
  base: string,
): LoginResult {
  if (token === "" || account === "") throw failed("the platform confirmed the login without a token");
  if (baseurl !== "" && !isPlatforms(baseurl, [base])) throw failed(`the platform names a foreign host: ${baseurl}`);
  const own = baseurl === "" || baseurl === OFFICIAL.base ? {} : { BASE_URL: baseurl.replace(/\/+$/, "") };
  return { account, variables: { ACCOUNT_ID: account, TOKEN: token, ...own }, message: `logged in as ${account}` };
}

/** Only the platform's own hosts are followed. */
function hostOf({ redirect_host: host = "" }: Status, base: string): string {
  const address = /^https?:\/\//.test(host) ? host : `https://${host}`;
  if (!isPlatforms(address, [base])) throw failed(`the platform names a foreign host: ${host}`);
  return new URL(address).origin;
}

async function digitsOf({ verifyCode, ask: askFor, say }: LoginPorts, tried: string): Promise<string> {
  if (verifyCode !== undefined && tried === "") return verifyCode;
  if (askFor === undefined) {
    const why = tried === "" ? "the platform wants the digits that the phone shows" : "the digits are wrong";
    throw new AppError("E_STATE", why, { hint: "give them with --verify-code, or log in at a terminal" });
  }
  if (tried !== "") await say("These digits are wrong.");
  return (await askFor("Digits that the phone shows: ")).trim();
}

interface Asked {
  readonly url: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

async function ask({ net, ids, version, settings, signal }: LoginPorts, { url, body }: Asked): Promise<unknown> {
  const text = body === undefined ? undefined : JSON.stringify({ ...body, ...baseInfo(version) });
  const length = text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) };
  try {
    const response = await net.fetch({
      method: text === undefined ? "GET" : "POST",
      purpose: "model",
      redirects: false,
      totalMs: CALL_MS,
      maxBytes: ANSWER_BYTES,
      url,
      signal,
      headers: { ...headersOf(ids, undefined, settings.text("ROUTE_TAG")), ...length },
      ...(text === undefined ? {} : { body: text }),
    });
    const answer = await response.text(ANSWER_BYTES);
    if (response.status >= 400) throw new Error(`the platform answered ${response.status}`);
    return parseAnswer(answer);
  } catch (error) {
    throw failed(`the platform cannot be asked: ${toAppError(error).message}`);
  }
}
