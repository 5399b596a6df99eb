import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { AppError } from "../../base/errors.js";
import { qrOf, qrText } from "../../base/text/qr.js";
import type { LoginOptions } from "../../contracts/gateway/control.js";
import type { LoginPorts, LoginResult } from "../../gateway/adapter/define-platform.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import { lookAtHome, type ProfilePlace } from "../process/gateway-place.js";
import { variableOf } from "./setup-questions.js";
import { storeAt } from "./store-variables.js";

/** Log in to a platform and store what it gives in `.env`. @returns what was done, a line each. @throws E_USAGE, E_STATE, what the platform refuses */
export async function logInPlatform(
  place: ProfilePlace,
  { tag, account, verifyCode }: LoginOptions,
): Promise<readonly string[]> {
  const definition = await PLATFORMS.find((one) => one.tag === tag)?.load();
  const names = PLATFORMS.map((one) => one.tag).join(", ");
  if (definition === undefined) throw new AppError("E_USAGE", `unknown platform ${tag}`, { hint: `known: ${names}` });
  if (definition.login === undefined) {
    throw new AppError("E_USAGE", `${tag} does not support login`, { hint: `agent gateway setup ${tag} sets it up` });
  }
  const { account: given, variables, message } = await asked(place, { tag, verifyCode, logIn: definition.login });
  if (account !== undefined && given !== undefined && given !== account) {
    throw new AppError("E_STATE", `this is account ${given}, not ${account}: nothing stored`, {
      hint: "scan with the other phone",
    });
  }
  const stored = Object.entries(variables).map(([name, text]) => ({ key: variableOf(tag, name), text }));
  if (stored.length === 0) return [message];
  await storeAt(place)(stored);
  return [
    message,
    `stored ${stored.map(({ key }) => key).join(", ")} in ${place.home.env}`,
    "agent gateway restart connects it; agent gateway status shows the result",
  ];
}

interface Asking {
  readonly tag: string;
  readonly verifyCode: string | undefined;
  readonly logIn: (ports: LoginPorts) => Promise<LoginResult>;
}

function asked(place: ProfilePlace, { tag, verifyCode, logIn }: Asking): Promise<LoginResult> {
  const { caller, version } = place.line;
  const say = async (text: string) => caller.err(`${text}\n`);
  return lookAtHome(place, ({ options }) => {
    const source = settingsSource(options);
    const { net, clock, ids } = options;
    return logIn({
      net,
      clock,
      ids,
      version,
      verifyCode,
      say,
      signal: caller.signal,
      settings: platformSettings(tag, source),
      others: (prefix: string) => platformSettings(prefix, source),
      ask: caller.canAsk ? (question: string) => caller.ask(question, false) : undefined,
      code: async (content) => {
        const code = qrOf(content);
        await say(
          [...(code === undefined ? [] : [qrText(code)]), `Scan this with the phone, or open ${content}`].join("\n"),
        );
      },
    });
  });
}
