import { join } from "node:path";
import type { CDPSession } from "playwright-core";
import { writeAtomic } from "../../../lib/base/fs/files.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import { fitText } from "../../../lib/browser/snapshot/fit.js";
import type { BrowserAnswer, BrowserCommand } from "../../../lib/contracts/browser/browser.js";
import type { BrowserSession } from "../session.js";
import { shortText, toFailedAnswer } from "./answer.js";
import { driverText } from "./failure.js";

type CdpCommand = Extract<BrowserCommand, { readonly do: "cdp" }>;

/** Methods that would leave the guards of addresses, files and other conversations behind. */
const CLOSED =
  /^(Browser\.(close|crash|setDownloadBehavior|setPermission|grantPermissions)|Target\.(createBrowserContext|disposeBrowserContext|attachToBrowserTarget|exposeDevToolsProtocol|setRemoteLocations)|Page\.setDownloadBehavior|DOM\.setFileInputFiles|Input\.setInterceptDrags|Fetch\.|Network\.setBypassServiceWorker|SystemInfo\.|Tracing\.|IO\.)/;
const CLOSED_ADDRESS = /^\s*(file|chrome|chrome-extension|devtools|view-source|filesystem):/i;
const RESULT_BYTES = 1_500;

/** Send one raw command to the browser. */
export async function sendCdp(session: BrowserSession, command: CdpCommand): Promise<BrowserAnswer> {
  const { method, params, timeoutMs } = command;
  if (!/^[A-Z]\w*\.\w+$/.test(method))
    return toFailedAnswer(`'${shortText(method, 60)}' is not a method such as DOM.getDocument`);
  if (CLOSED.test(method))
    return toFailedAnswer(`${method} is not available: it would pass the guards of files and addresses`);
  if (textsIn(params).some((text) => CLOSED_ADDRESS.test(text)))
    return toFailedAnswer("blocked: the browser opens http and https addresses only");
  const target = await targetOf(session, command);
  if ("error" in target) return toFailedAnswer(target.error);
  try {
    let result: unknown;
    const send = target.cdp.send.bind(target.cdp) as (method: string, params: unknown) => Promise<unknown>; // the method is data: the driver's types know each by name
    const asked = send(method, params).then((answer) => {
      result = answer;
    });
    asked.catch(() => undefined); // it may fail after its time
    if (!(await settlesWithin(session.clock, timeoutMs, asked)))
      return toFailedAnswer(`${method} did not answer within ${timeoutMs / 1000} s`);
    return await told(session, result);
  } catch (error) {
    return toFailedAnswer(driverText(error).split("\n")[0] ?? "");
  } finally {
    await target.cdp.detach().catch(() => undefined); // its page has gone
  }
}

/** Every text of the parameters, however deep. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > 20) return [];
  return Object.values(value).flatMap((one) => textsIn(one, depth + 1));
}

type Target = { readonly cdp: CDPSession } | { readonly error: string };

/** The page or frame that is meant; without ids the current page. */
async function targetOf(session: BrowserSession, { targetId, frameId }: CdpCommand): Promise<Target> {
  if (targetId === undefined && frameId === undefined)
    return { cdp: await session.context.newCDPSession(session.page()) };
  for (const page of session.pages()) {
    const frames = frameId === undefined ? [page] : page.frames();
    for (const one of frames) {
      const cdp = await session.context.newCDPSession(one).catch(() => undefined); // the frame shares the session of its page
      if (cdp === undefined) continue;
      const { targetInfo } = await cdp.send("Target.getTargetInfo");
      if (targetInfo.targetId === (frameId ?? targetId)) return { cdp };
      await cdp.detach();
    }
  }
  return frameId === undefined
    ? { error: `no page with target_id ${shortText(targetId ?? "", 60)} in this conversation` }
    : { error: "frame_id names no frame with a session of its own; leave it out and pass the frame to the method" };
}

async function told(session: BrowserSession, result: unknown): Promise<BrowserAnswer> {
  const text = JSON.stringify(result ?? {}).toWellFormed();
  if (Buffer.byteLength(text) <= RESULT_BYTES) return { value: { success: true, result: result ?? {} } };
  const file = join(session.dir, "cdp-result.json");
  await writeAtomic(file, text, 0o600, false);
  return { value: { success: true, chars: text.length, file, result: fitText(text, RESULT_BYTES - 100) } };
}
