import type { Store } from "../../../storage/store.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { NewQueueItem, QueueItem, QueueState } from "../../contracts/chat/queue.js";
import { addQueueItem } from "../transcript/queue.js";
import { changeQueue, type QueuePlace, readQueue } from "../transcript/queue-store.js";

export interface ActorQueueDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly root: SessionId;
  /** The session that the lineage is at. */
  readonly session: () => SessionId;
  /** A text as it may be kept. */
  readonly keepable: (text: string) => Promise<string>;
}

/** What waits in one lineage, as it is stored. */
export class ActorQueue {
  readonly #deps: ActorQueueDeps;

  constructor(deps: ActorQueueDeps) {
    this.#deps = deps;
  }

  read(): Promise<QueueState> {
    return readQueue(this.#deps.store, this.#deps.root);
  }

  change(change: (state: QueueState) => QueueState): Promise<QueueState> {
    return changeQueue(this.#deps.store, this.place(), change);
  }

  /** An item for a message; it is not in the queue yet. */
  async item({ text, kind, source, by = "user", attachments = [], request }: NewQueueItem): Promise<QueueItem> {
    const own = await this.#deps.keepable(text);
    const item = { id: this.newId(), text: own, attachments, source, by, created_at: this.#deps.clock.now(), kind };
    return request === undefined ? item : { ...item, request };
  }

  async add(given: NewQueueItem): Promise<QueueItem> {
    const item = await this.item(given);
    await this.change((state) => addQueueItem(state, item));
    return item;
  }

  /** Where and when something of this lineage is stored. */
  place(): QueuePlace {
    const { root, session, clock } = this.#deps;
    return { root, session: session(), at: clock.now() };
  }

  newId(): string {
    return `q_${this.#deps.ids.hex(8)}`;
  }
}
