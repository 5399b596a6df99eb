import type { Agent } from "node:http";
import type { Socket } from "node:net";
import { NetError, type ProxyAddress } from "../../base/net/net.js";
import { Secret } from "../../base/secret.js";
import type { Ms } from "../../base/units.js";
import { addressRefusal, isAddress } from "./address.js";
import { netModules } from "./modules.js";

const PORTS = { "http:": 80, "socks:": 1080, "socks5:": 1080, "socks5h:": 1080 } as const;

/** Read `http://[user:password@]host[:port]` or the same with `socks5://`; undefined: it is neither. */
export function parseProxy(text: string): ProxyAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const usual = PORTS[protocol as keyof typeof PORTS] as number | undefined; // undefined for every other protocol
  if (usual === undefined || hostname === "" || !["", "/"].includes(pathname) || search !== "" || hash !== "")
    return undefined;
  try {
    const login = { user: decodeURIComponent(username), password: new Secret(decodeURIComponent(password)) };
    const host = hostname.replace(/^\[|\]$/g, "");
    const kind = protocol === "http:" ? "http" : "socks5";
    return { kind, host, port: port === "" ? usual : Number(port), ...(username === "" ? {} : { login }) };
  } catch {
    return undefined; // a percent sign that begins no byte
  }
}

/** A proxy as people know it, without its login. */
export const proxyText = ({ kind, host, port }: ProxyAddress): string =>
  `${kind}://${host.includes(":") ? `[${host}]` : host}:${port}`;

export interface Tunnels {
  readonly proxy: ProxyAddress;
  /** The connection inside is encrypted. */
  readonly secure: boolean;
  /** Addresses of the proxy. */
  readonly resolve: (host: string) => Promise<readonly string[]>;
}

export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
  readonly opening?: AbortSignal;
}

/** Options of a request that let it be ended while its connection is made: agents hand them on to what makes it. */
export const whileOpening = (opening: AbortSignal): Pick<TunnelTarget, "opening"> => ({ opening });

type Connect = (options: TunnelTarget, done: (error: Error | null, socket?: Socket) => void) => Socket | undefined;

/** Let an agent make its connections through a proxy. @returns the same agent */
export function tunnelThrough(agent: Agent, tunnels: Tunnels): Agent {
  const own = (Reflect.get(agent, "createConnection") as Connect).bind(agent); // both agents make their connections by it
  const make = async (options: TunnelTarget): Promise<Socket> => {
    const { host, port, opening } = options;
    const socket = await openTunnel(tunnels, {
      host,
      port: Number(port),
      ...(opening === undefined ? {} : { opening }),
    });
    if (!tunnels.secure) return socket;
    try {
      const through = { ...options, socket };
      const inside = own(through, () => undefined);
      if (inside === undefined) throw new NetError("protocol", "the connection inside the proxy could not be begun");
      await waitForSocketEvent(inside, "secureConnect", socket);
      return inside;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  };
  const connect: Connect = (options, done) => {
    make(options).then(
      (socket) => done(null, socket),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
    return undefined;
  };
  Reflect.set(agent, "createConnection", connect);
  return agent;
}

/** Longest time until a tunnel is there; exchanges have their own limit, which is shorter. */
const OPEN_MS: Ms = 30_000;

/** @throws NetError; `refused` where nothing of the request was written */
export async function openTunnel({ proxy, resolve }: Tunnels, target: TunnelTarget): Promise<Socket> {
  const { connect } = await netModules.net();
  const name = `the proxy ${proxyText(proxy)}`;
  const addresses = isAddress(proxy.host) ? [proxy.host] : await resolve(proxy.host);
  const rule = { purpose: "model", allowPrivate: true, fakeRanges: [] } as const;
  const [address = proxy.host] = addresses;
  const why = addressRefusal(address, proxy.host, address !== proxy.host, rule);
  if (why !== undefined) throw new NetError("blocked", `${name}: ${why}`);
  const socket = connect({ host: address, port: proxy.port });
  socket.setTimeout(OPEN_MS, () => socket.destroy(new NetError("timeout", `${name} did not open a connection`)));
  const stop = () => socket.destroy(new NetError("aborted", "the request was stopped"));
  target.opening?.addEventListener("abort", stop, { once: true });
  try {
    if (target.opening?.aborted === true) throw new NetError("aborted", "the request was stopped");
    await waitForSocketEvent(socket, "connect", socket);
    await (proxy.kind === "http" ? askHttp : askSocks)(socket, { proxy, target, name });
    socket.setTimeout(0);
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof NetError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new NetError("refused", `${name} cannot be used: ${message}`, error);
  } finally {
    target.opening?.removeEventListener("abort", stop);
  }
}

interface Asked {
  readonly proxy: ProxyAddress;
  readonly target: TunnelTarget;
  readonly name: string;
}

const HEAD_BYTES = 16 << 10;

/** CONNECT (RFC 9110, 9.3.6). */
async function askHttp(socket: Socket, { proxy: { login }, target, name }: Asked): Promise<void> {
  const place = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  const word = login && Buffer.from(`${login.user}:${login.password.reveal()}`).toString("base64");
  const heads = [`Host: ${place}`, ...(word === undefined ? [] : [`Proxy-Authorization: Basic ${word}`])];
  socket.write(`CONNECT ${place} HTTP/1.1\r\n${heads.join("\r\n")}\r\n\r\n`);
  const head = await taken(socket, (got) => {
    const end = got.indexOf("\r\n\r\n");
    if (end < 0 && got.length > HEAD_BYTES) throw new NetError("refused", `${name} does not answer as a proxy does`);
    return end < 0 ? undefined : end + 4;
  });
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString("latin1"))?.[1];
  if (status === undefined) throw new NetError("refused", `${name} does not answer as a proxy does`);
  if (status === "407") throw new NetError("refused", `${name} wants another user or password`);
  if (!status.startsWith("2")) throw new NetError("refused", `${name} answered ${status}`);
}

const SOCKS_REPLIES = [
  "",
  "general failure",
  "not allowed by its rules",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "time to live expired",
  "command not supported",
  "kind of address not supported",
];

/** RFC 1928 and 1929. Names are resolved by the proxy. */
async function askSocks(socket: Socket, { proxy: { login }, target, name }: Asked): Promise<void> {
  socket.write(Buffer.from(login === undefined ? [5, 1, 0] : [5, 2, 0, 2]));
  const [version, method] = await taken(socket, exactly(2));
  if (version !== 5) throw new NetError("refused", `${name} does not answer as a SOCKS5 proxy does`);
  if (method === 2 && login !== undefined) {
    socket.write(Buffer.concat([Buffer.from([1]), counted(login.user), counted(login.password.reveal())]));
    const [, denied] = await taken(socket, exactly(2));
    if (denied !== 0) throw new NetError("refused", `${name} wants another user or password`);
  } else if (method !== 0) throw new NetError("refused", `${name} wants a user and a password`);
  const port = Buffer.from([target.port >> 8, target.port & 255]);
  const four = /^\d+\.\d+\.\d+\.\d+$/.test(target.host);
  const place = four
    ? Buffer.from([1, ...target.host.split(".").map(Number)])
    : Buffer.concat([Buffer.from([3]), counted(target.host)]);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), place, port]));
  const reply = await taken(socket, (got) => {
    const length = addressLength(got);
    return length === undefined || got.length < 6 + length ? undefined : 6 + length;
  });
  const code = reply[1] ?? 1;
  if (code !== 0)
    throw new NetError("refused", `${name} cannot reach ${target.host}: ${SOCKS_REPLIES[code] ?? `reply ${code}`}`);
}

/** Bytes of the address in a reply, its own count included; undefined: not known yet. */
function addressLength(got: Buffer): number | undefined {
  if (got.length < 5) return undefined;
  if (got[3] === 3) return 1 + (got[4] ?? 0);
  return got[3] === 4 ? 16 : 4;
}

const exactly = (count: number) => (got: Buffer) => (got.length < count ? undefined : count);

/** A text behind its length, which is at most 255 bytes. */
function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new NetError("refused", "a name for a SOCKS5 proxy has at most 255 bytes");
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

/** The first bytes, as many as `enough` says; what came behind them stays in the socket. */
async function taken(socket: Socket, enough: (got: Buffer) => number | undefined): Promise<Buffer> {
  let got = Buffer.alloc(0);
  for (;;) {
    const more: unknown = socket.read();
    if (more === null) {
      await waitForSocketEvent(socket, "readable", socket);
      if (socket.readableEnded) throw new NetError("refused", "the proxy ended the connection");
      continue;
    }
    got = Buffer.concat([got, more as Buffer]); // a socket without an encoding gives bytes
    const count = enough(got);
    if (count === undefined) continue;
    if (got.length > count) socket.unshift(got.subarray(count));
    return got.subarray(0, count);
  }
}

/** Wait for an event of a socket. @param under the connection below it, whose end is its end */
export function waitForSocketEvent(
  socket: Socket,
  event: "connect" | "secureConnect" | "readable",
  under: Socket,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = () => {
      socket.off(event, fine);
      socket.off("error", broken);
      under.off("error", broken);
      under.off("close", closed);
    };
    const fine = () => {
      over();
      resolve();
    };
    const broken = (error: Error) => {
      over();
      reject(error);
    };
    const closed = () => broken(new NetError("refused", "the proxy ended the connection"));
    socket.once(event, fine);
    socket.once("error", broken);
    if (under !== socket) under.once("error", broken);
    under.once("close", closed);
  });
}
