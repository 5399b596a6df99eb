import assert from "node:assert/strict";
import { test } from "node:test";
import { envProxy } from "./env-proxy.js";
import { proxyText } from "./tunnel.js";

const ENV = { HTTPS_PROXY: "http://secure.proxy:8443", HTTP_PROXY: "plain.proxy:3128", NO_PROXY: "" };
const proxyFor = (url: string, env: Readonly<Record<string, string>> = ENV) => {
  const proxy = envProxy(env, new URL(url));
  return proxy === undefined ? "direct" : proxyText(proxy);
};

const CASES: readonly (readonly [url: string, noProxy: string, expected: string])[] = [
  ["https://site.example/", "", "http://secure.proxy:8443"],
  ["http://site.example/", "", "http://plain.proxy:3128"],
  ["http://localhost:11434/", "", "direct"],
  ["http://127.0.0.1:8080/", "", "direct"],
  ["http://127.5.5.5/", "", "direct"],
  ["http://[::1]:8080/", "", "direct"],
  ["http://api.localhost/", "", "direct"],
  ["https://site.example/", "*", "direct"],
  ["https://site.example/", "site.example", "direct"],
  ["https://www.site.example/", "site.example", "direct"],
  ["https://www.site.example/", ".site.example", "direct"],
  ["https://www.site.example/", "*.site.example", "direct"],
  ["https://WWW.Site.Example./", "site.example", "direct"],
  ["https://notsite.example/", "site.example", "http://secure.proxy:8443"],
  ["https://site.example/", "other.example, site.example", "direct"],
  ["https://site.example/", "site.example:443", "direct"],
  ["https://site.example:8443/", "site.example:443", "http://secure.proxy:8443"],
  ["http://10.1.2.3/", "10.0.0.0/8", "direct"],
  ["http://10.1.2.3/", "10.1.2.3", "direct"],
  ["http://10.1.2.3/", "10.1.2.3:80", "direct"],
  ["http://10.1.2.3:81/", "10.1.2.3:80", "http://plain.proxy:3128"],
  ["http://11.1.2.3/", "10.0.0.0/8", "http://plain.proxy:3128"],
  ["http://[fd00::1]/", "fd00::/8", "direct"],
];

for (const [url, noProxy, expected] of CASES) {
  test(`${url} with NO_PROXY=${JSON.stringify(noProxy)} goes ${expected}`, () => {
    assert.equal(proxyFor(url, { ...ENV, NO_PROXY: noProxy }), expected);
  });
}

test("lower case wins, ALL_PROXY stands in for a variable that is not set, and without any there is no proxy", () => {
  assert.equal(proxyFor("https://a.example/", { ...ENV, https_proxy: "http://lower:1" }), "http://lower:1");
  assert.equal(proxyFor("https://a.example/", { ALL_PROXY: "socks5://all:1080" }), "socks5://all:1080");
  assert.equal(proxyFor("https://a.example/", { HTTP_PROXY: "http://plain:1" }), "direct");
  assert.equal(proxyFor("https://a.example/", {}), "direct");
});

test("a variable that names no usable proxy is an error that names it, not a direct connection", () => {
  assert.throws(
    () => proxyFor("https://a.example/", { HTTPS_PROXY: "https://tls.proxy:443" }),
    /HTTPS_PROXY.*http:\/\/host:port/,
  );
});
