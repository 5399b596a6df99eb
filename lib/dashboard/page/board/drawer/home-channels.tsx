import { useEffect, useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { useOpenTask } from "./drawer-context.js";
import type { HomeChannelRow } from "./types.js";

/** Where news of the task are sent: the home chats as switches, and the chats that follow it by themselves. */
export function HomeChannels() {
  const { calls, page, reload } = useOpenTask();
  const { failed } = useServices();
  const [channels, setChannels] = useState<readonly HomeChannelRow[] | undefined>(undefined);
  const read = async (): Promise<void> => setChannels((await calls.homeChannels()).home_channels);
  useEffect(() => {
    read().catch(failed);
  }, [page.subscriptions.length]);
  const turn = async ({ platform, subscribed }: HomeChannelRow): Promise<void> => {
    await calls.subscribeHome(platform, !subscribed);
    await read();
    await reload();
  };
  const isHome = (platform: string, chat: string): boolean =>
    (channels ?? []).some((one) => one.platform === platform && one.chat_id === chat);
  const others = page.subscriptions.filter(({ platform, chat_id }) => !isHome(platform, chat_id));
  return (
    <>
      {channels?.length === 0 && <p class="soft">No messaging platform has a home chat.</p>}
      {channels?.map((channel) => (
        <label key={channel.platform} class="check">
          <input type="checkbox" checked={channel.subscribed} onChange={() => turn(channel).catch(failed)} />
          {channel.name} <span class="soft">{channel.platform}</span>
        </label>
      ))}
      {others.length > 0 && (
        <ul class="rows">
          {others.map(({ id, platform, chat_id, task_id }) => (
            <li key={id} class="row">
              {platform} {chat_id}
              <span class="soft">{task_id === null ? "follows the whole board" : "follows this task"}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
