import type { Store } from "../../../storage/store.js";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import type { Home } from "../../base/home.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { NewSession, SessionRecord } from "../../contracts/chat/chat.js";
import type { QuestionParking } from "../../contracts/chat/form.js";
import type { QuestionsApi } from "../../contracts/chat/questions.js";
import type { Config } from "../../contracts/config/config.js";
import type { PermissionsApi } from "../../contracts/config/permissions.js";
import type { Cages } from "../../safety/cage/cages.js";
import { createAsker } from "../questions/asker.js";
import { createDesk } from "../questions/desk.js";
import { sessionInfo } from "../transcript/session-record.js";
import { createGrantBook, withRules } from "./grants.js";
import type { ApprovalPorts } from "./hands.js";
import { createPermissions } from "./permissions.js";
import type { ScopeDeps } from "./scope.js";
import { createRuleUses } from "./uses.js";

/** Questions, grants and rules of this owner's conversations. */
export interface Approvals {
  readonly questions: QuestionsApi;
  readonly parking: QuestionParking;
  readonly permissions: PermissionsApi;
  /** What a conversation asks and is granted through. */
  hands(
    session: () => Pick<SessionRecord, "id" | "lineage_root" | "profile">,
    options: NewSession,
    live: Live,
  ): ApprovalPorts;
  /** What was begun is stored. */
  stop(): Promise<void>;
}

type Live = (event: string, data: Readonly<Record<string, unknown>>) => void;

export interface ApprovalsDeps {
  readonly home: Home;
  readonly config: Config;
  readonly ports: { readonly clock: Clock; readonly ids: Ids; readonly cages?: Cages };
  readonly log: Log;
  /** The store of conversations that are kept. */
  kept(): Promise<Store>;
  /** The store that holds a session. */
  store(session: SessionId): Promise<Store>;
  session(id: SessionId): Promise<SessionRecord | undefined>;
  /** The cage that commands of a place run in; absent: none. */
  readonly cage?: NonNullable<ScopeDeps["cage"]>;
}

/** Conversations that people look at while they run; a question in one of them waits for a person to come back. */
const LOOKED_AT: ReadonlySet<string> = new Set(["workspace", "inline", "acp"]);
const GRANTS = "grants";

export function createApprovals(deps: ApprovalsDeps): Approvals {
  const { clock, ids, cages } = deps.ports;
  const lineageOf = async (id: SessionId) => (await deps.session(id))?.lineage_root;
  const desk = createDesk({ clock, ids, log: deps.log, kept: deps.kept, store: deps.store, lineageOf });
  const uses = createRuleUses();
  const keeper = {
    read: async (root: SessionId) => (await deps.store(root)).read((q) => lineage.get(q, root, GRANTS)),
    write: async (root: SessionId, json: string) => {
      const at = clock.now();
      await (await deps.store(root)).write("chat.grants", (tx) => lineage.set(tx, { root, name: GRANTS, json }, at));
    },
  };
  const book = createGrantBook(keeper, clock);
  return {
    questions: desk,
    parking: desk,
    stop: desk.stop,
    permissions: createPermissions({
      ...deps,
      clock,
      book,
      uses,
      lineageOf,
      tellYolo: (id, yolo) => tellYolo(deps, id, yolo),
      ...(cages === undefined ? {} : { cages }),
    }),
    hands: (session, options, live) => {
      const root = session().lineage_root;
      return {
        asker: createAsker({ desk, clock, session, waits: LOOKED_AT.has(options.source), live }),
        grants: () => book.of(root),
        grant: async (values) => {
          await book.change(root, (grants) => withRules(grants, values, clock.now()));
        },
        grantEdits: async () => {
          await book.change(root, (grants) => ({ ...grants, edits: "allow" }));
        },
        used: async (decision) => {
          const rule = "rule" in decision && typeof decision.rule === "object" ? decision.rule : undefined;
          if (rule === undefined) return;
          if (rule.source === "session") await book.used(root, rule.value);
          else uses.note(rule, clock.now());
        },
      };
    },
  };
}

/** Front ends show that approvals are off for as long as they are. */
async function tellYolo(deps: ApprovalsDeps, id: SessionId, yolo: boolean): Promise<void> {
  const session = await deps.session(id);
  if (session === undefined) return;
  const at = deps.ports.clock.now();
  await (await deps.store(id)).write("chat.yolo", async (tx) => {
    tx.emit({ kind: "session.info", at, session: id, payload: { ...sessionInfo(session), yolo } });
  });
}
