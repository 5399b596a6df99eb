import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import { AppError, toAppError } from "../../base/errors.js";
import { isRecord } from "../../base/json/record.js";
import type { SessionId } from "../../base/units.js";
import type { ModelRow } from "../../contracts/models/model-rows.js";
import type { OfferedModels } from "../../contracts/models/models-api.js";
import { catalogueWindow } from "../../models/core/catalogue.js";
import { isLoopbackUrl } from "../../models/core/endpoints.js";
import { MODEL_ALIASES, OLD_MODEL_ALIASES } from "../../models/keys.js";
import { OFFLINE_MODEL } from "../../models/offline/provider.js";
import { LOCAL_ID, readProviderEntry } from "../../models/targets.js";
import { createEndpoints } from "../../setup/endpoints.js";
import { listSetupRows, type PickerDeps, setUpProvider } from "../../setup/provider-picker.js";
import type { OwnerServices } from "../commands/owner-services.js";

const session_id = z
  .string()
  .min(1)
  .transform((text) => text as SessionId); // absent: nothing is marked as in use
const provider = z.string().min(1).max(200);
const secret = z.string().trim().min(1).max(10_000);
const TEST_MS = 10_000;

/** The model picker of front ends: what there is, whether it answers, and the key of a provider (workspace part, 7.4). */
export function modelMethods(app: OwnerServices): Methods {
  return new Map([
    [
      "models.list",
      defineMethod({
        params: z.object({ session_id: session_id.optional(), refresh: z.boolean().default(false) }),
        access: "read",
        run: async ({ session_id: session, refresh }) => modelRows(app, session, refresh),
      }),
    ],
    [
      "models.test",
      defineMethod({
        params: z.object({ provider }),
        access: "read",
        run: async (asked) => tested(app, asked.provider),
      }),
    ],
    [
      "models.set_key",
      defineMethod({
        params: z.object({ provider, key: secret }),
        access: "admin",
        repeat: () => "safe", // the same key again is the same key
        run: async ({ provider: name, key }) => ({ stored: await setKey(app, name, key) }),
      }),
    ],
    [
      "models.set_up",
      defineMethod({
        params: z.object({ provider, key: secret.optional(), base_url: z.string().trim().max(2000).optional() }),
        access: "admin",
        repeat: () => "safe", // the same provider again is the same provider
        run: async ({ provider: name, key, base_url: baseUrl }, client) =>
          setUpProvider(pickerDeps(app, client.signal), { provider: name, key, baseUrl }),
      }),
    ],
  ]);
}

function pickerDeps(
  { settings, options: { config, net, clock, log } }: OwnerServices,
  signal: AbortSignal,
): PickerDeps {
  return { config, settings, endpoints: createEndpoints({ net, clock, log }, signal) };
}

async function modelRows(
  app: OwnerServices,
  session: SessionId | undefined,
  refresh: boolean,
): Promise<readonly ModelRow[]> {
  const [configured, found, chain, now] = await Promise.all([
    app.modelsApi.offered(refresh),
    findLocal(app),
    app.modelsApi.chain(),
    inUse(app, session),
  ]);
  const offered = [...configured, ...found];
  const own = now ?? chain.primary;
  const row = (
    name: string,
    of: { provider: string; model: string; base_url?: string | undefined },
    more: Partial<ModelRow> = {},
  ): ModelRow => ({
    name,
    provider: of.provider,
    model: of.model,
    base_url: of.base_url ?? "",
    problem: "",
    window: catalogueWindow(of.model) ?? null,
    notes: of.base_url !== undefined && isLoopbackUrl(of.base_url) ? ["this machine"] : [],
    current: of.provider === own.provider && of.model === own.model,
    ...more,
  });
  const fallback = new Map(chain.entries.map((one, at) => [`${one.provider}:${one.model}`, `fallback ${at + 1}`]));
  const listed = offered.flatMap(({ provider: id, base_url, models, problem }) => [
    ...models.map((model) => {
      const made = row(`${id}:${model}`, { provider: id, model, base_url });
      const place = fallback.get(made.name);
      return place === undefined ? made : { ...made, notes: [...made.notes, place] };
    }),
    ...(models.length === 0
      ? [row("", { provider: id, model: "", base_url }, { problem: problem ?? "it lists no models" })]
      : []),
  ]);
  const known = listed.some(({ current }) => current) || own.model === "" || own.provider === "offline";
  return [
    ...(known ? [] : [row(`${own.provider}:${own.model}`, own)]),
    ...listed,
    ...aliasRows(app).map(({ name, target }) => row(name, target, { notes: ["alias"], current: false })),
    ...listSetupRows(app.options.config),
    row(`offline:${OFFLINE_MODEL}`, { provider: "offline", model: OFFLINE_MODEL }, { notes: ["offline assistant"] }),
  ];
}

/** The server on this machine that answers although the settings do not name it. */
async function findLocal({ models, options: { log } }: OwnerServices): Promise<readonly OfferedModels[]> {
  try {
    const provider = await (await models()).provider(LOCAL_ID);
    if (provider.id !== LOCAL_ID) return [];
    return [
      { provider: LOCAL_ID, base_url: provider.baseUrl, models: await provider.models(AbortSignal.timeout(TEST_MS)) },
    ];
  } catch (error) {
    log.debug("no local server found", { error: toAppError(error).message });
    return [];
  }
}

async function inUse(
  { chat }: OwnerServices,
  session: SessionId | undefined,
): Promise<{ provider: string; model: string } | undefined> {
  const stored = session === undefined ? undefined : await chat.get(session);
  if (stored === undefined) return undefined;
  const { model = stored.model, provider = stored.provider } = await chat.modelOf(stored.id); // chosen since its last turn
  return model === "" ? undefined : { provider, model };
}

function aliasRows({
  options: { config },
}: OwnerServices): readonly { name: string; target: { provider: string; model: string } }[] {
  const all = [config.get(OLD_MODEL_ALIASES), config.get(MODEL_ALIASES)].flatMap((map) =>
    isRecord(map) ? Object.entries(map) : [],
  );
  return all.map(([name, target]) => {
    if (!isRecord(target)) return { name, target: { provider: "", model: String(target) } };
    return { name, target: { provider: String(target["provider"] ?? ""), model: String(target["model"] ?? "") } };
  });
}

/** One request: the list of its models. A refusal is an answer. */
async function tested(
  { models, options: { clock } }: OwnerServices,
  name: string,
): Promise<{ ok: boolean; ms: number; text: string }> {
  const began = clock.mono();
  const took = () => Math.round(clock.mono() - began);
  try {
    const found = await (await (await models()).provider(name)).models(AbortSignal.timeout(TEST_MS));
    return { ok: true, ms: took(), text: `${name} answers, ${found.length} models` };
  } catch (error) {
    return { ok: false, ms: took(), text: toAppError(error).message };
  }
}

/** Where keys are kept: the home's `.env`, under the name that the provider's entry has for it. @returns the name */
async function setKey({ settings, options: { config } }: OwnerServices, name: string, key: string): Promise<string> {
  if (name === "custom") {
    await settings.set("model.api_key", key, { asText: true, force: false });
    return "model.api_key";
  }
  const entry = readProviderEntry(config, name, (variable) => config.env[variable]);
  if (entry === undefined)
    throw new AppError("E_NOT_FOUND", `unknown provider ${name}`, {
      hint: `add providers.${name}.base_url to config.yaml`,
    });
  const written = [entry["key_env"]].flat().find((one): one is string => typeof one === "string" && one !== "");
  const variable = written ?? `${name.toUpperCase().replace(/[^A-Z0-9]+/g, "_")}_API_KEY`;
  await settings.set(variable, key, { asText: true, force: false });
  if (written === undefined) await settings.set(`providers.${name}.key_env`, variable, { asText: true, force: true });
  return variable;
}
