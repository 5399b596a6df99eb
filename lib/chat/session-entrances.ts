import { AppError } from "../base/errors.js";
import type { SessionId } from "../base/units.js";
import type { ChatApi, NewSession } from "../contracts/chat/chat.js";
import { parseRuleEntry } from "../safety/rules/entry.js";
import { readRuleText } from "../safety/rules/text.js";
import type { ChatDeps } from "./chat-deps.js";
import { refuseUnknown } from "./prompt/tool-selection.js";
import { THIS_PROCESS } from "./session-actor/front-ends.js";
import type { OpenSessions } from "./session-actor/open-sessions.js";
import { addSkills, storedSkills, withKnownSkills } from "./sessions/session-skills.js";
import { knownSession, type SessionInput, type SessionStores } from "./sessions/session-stores.js";
import { openTranscript } from "./transcript/transcript.js";

/** The ways into a conversation. */
export function sessionEntrances(
  deps: Pick<ChatDeps, "home" | "tools" | "ports">,
  stores: SessionStores,
  open: OpenSessions,
): Pick<ChatApi, "create" | "resume" | "visit"> {
  const refuseUnknownSets = (toolsets: readonly string[], profile = deps.home.profile) => {
    if (toolsets.length > 0) refuseUnknown(toolsets, deps.tools.entries({ profile }), deps.tools.toolsets());
  };
  const reopened = async (id: SessionId, given: NewSession) => {
    const { toolsets = [], cwd } = given;
    refuseUnknownSets(toolsets, given.profile);
    await refuseWrongRules(given);
    const { skills = [] } = await withKnownSkills(deps.ports.skills, given);
    const { store, sessions } = await stores.of(id);
    if (skills.length > 0) await addTo(id, skills);
    return { store, session: await sessions.reopen(id, cwd) };
  };
  /** @throws E_STATE while a turn runs: its prompt is in use */
  const addTo = async (id: SessionId, skills: readonly string[]) => {
    const { store, session } = await knownSession(stores, id);
    const { clock } = deps.ports;
    const add = async () => {
      const at = clock.now();
      const { sessions } = await stores.of(id);
      const newest = (await sessions.current(id)) ?? session;
      const changed = await store.write("chat.skills", (tx) => addSkills(tx, newest, skills, at));
      if (changed !== undefined) open.changed(changed, openTranscript({ store, clock }, changed));
    };
    const there = await store.read((q) => storedSkills(q, session.lineage_root));
    if (!skills.every((name) => there.includes(name))) await open.alone(session.lineage_root, add);
  };
  return {
    create: async (given, frontEnd = THIS_PROCESS) => {
      refuseUnknownSets(given.toolsets ?? [], given.profile);
      await refuseWrongRules(given);
      const input = await withKnownSkills(deps.ports.skills, given);
      const session = await stores.create(toInput(input, deps.home.profile));
      await open.open((await stores.of(session.id)).store, session, input, frontEnd);
      return session;
    },
    resume: async (id, options, frontEnd = THIS_PROCESS) => {
      const { store, session } = await reopened(id, options);
      return (await open.open(store, session, options, frontEnd)).session;
    },
    visit: async (id, options, frontEnd = THIS_PROCESS) => {
      const { store, session } = await reopened(id, options);
      const { source, cwd, env } = options; // nothing of what is allowed for one turn stays
      return (open.enter(session, frontEnd) ?? (await open.open(store, session, { source, cwd, env }, frontEnd)))
        .session;
    },
  };
}

/** @throws E_USAGE for a rule of the command line that cannot be read: without it, what it denies would be allowed */
async function refuseWrongRules({ allow = [], deny = [] }: NewSession): Promise<void> {
  const given = [
    ...allow.map((text) => ({ list: "allow", text }) as const),
    ...deny.map((text) => ({ list: "deny", text }) as const),
  ];
  for (const { list, text } of given) {
    const parsed = parseRuleEntry({ list, value: await readRuleText(text) });
    if (typeof parsed === "string")
      throw new AppError("E_USAGE", `--${list} '${text}': ${parsed}`, {
        hint: "agent help permissions describes the rule syntax",
      });
  }
}

function toInput(input: NewSession, profile: string): SessionInput {
  const { source, cwd, title, toolsets, skills, ephemeral } = input;
  return {
    source,
    cwd,
    profile: input.profile ?? profile,
    model: "",
    provider: "",
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(skills === undefined ? {} : { skills }),
    ...(title === undefined ? {} : { title }),
    ...(ephemeral === undefined ? {} : { ephemeral }),
  };
}
