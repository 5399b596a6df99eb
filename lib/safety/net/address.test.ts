import assert from "node:assert/strict";
import { test } from "node:test";
import { type AddressKind, checkUrl, classifyAddress, inRange } from "./address.js";

const ADDRESSES: readonly (readonly [address: string, kind: AddressKind])[] = [
  ["93.184.216.34", "public"],
  ["8.8.8.8", "public"],
  ["1.0.0.1", "public"],
  ["2606:4700:4700::1111", "public"],
  ["169.254.169.254", "metadata"],
  ["169.254.0.1", "metadata"],
  ["100.100.100.200", "metadata"],
  ["fd00:ec2::254", "metadata"],
  ["fe80::1", "metadata"],
  ["fe80::1%eth0", "metadata"],
  ["febf::1", "metadata"],
  ["::ffff:169.254.169.254", "metadata"],
  ["::ffff:a9fe:a9fe", "metadata"],
  ["64:ff9b::a9fe:a9fe", "metadata"],
  ["2002:a9fe:a9fe::1", "metadata"],
  ["::169.254.169.254", "metadata"],
  ["127.0.0.1", "loopback"],
  ["127.255.255.255", "loopback"],
  ["::1", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["64:ff9b::7f00:1", "loopback"],
  ["10.0.0.5", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["172.32.0.1", "public"],
  ["192.168.1.1", "private"],
  ["2002:c0a8:0101::1", "private"],
  ["100.64.0.1", "carrier"],
  ["100.127.255.255", "carrier"],
  ["100.128.0.1", "public"],
  ["0.0.0.0", "unspecified"],
  ["::", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["224.0.0.1", "multicast"],
  ["ff02::1", "multicast"],
  ["255.255.255.255", "broadcast"],
  ["240.0.0.1", "reserved"],
  ["198.18.0.1", "reserved"],
  ["192.0.2.1", "documentation"],
  ["2001:db8::1", "documentation"],
  ["fc00::1", "unique-local"],
  ["fd12:3456::1", "unique-local"],
  ["fec0::1", "private"],
  ["2001::1", "reserved"],
  ["100::1", "reserved"],
  ["4000::1", "reserved"],
  ["no address", "reserved"],
  ["1.2.3", "reserved"],
  ["1.2.3.4.5", "reserved"],
  ["1::2::3", "reserved"],
];

for (const [address, kind] of ADDRESSES) {
  test(`${address} is ${kind}`, () => {
    assert.equal(classifyAddress(address), kind);
  });
}

const SPELLINGS: readonly (readonly [url: string, host: string])[] = [
  ["http://2130706433/", "127.0.0.1"],
  ["http://0x7f000001/", "127.0.0.1"],
  ["http://0177.0.0.1/", "127.0.0.1"],
  ["http://127.1/", "127.0.0.1"],
  ["http://127.0.0.1./", "127.0.0.1"],
  ["http://user:word@127.0.0.1/", "127.0.0.1"],
  ["http://[::ffff:7f00:1]/", "::ffff:7f00:1"],
  ["http://１２７.0.0.1/", "127.0.0.1"],
  ["http://Example.COM./", "example.com"],
];

for (const [url, host] of SPELLINGS) {
  test(`${url} is read as ${host}`, () => {
    const check = checkUrl(url);
    assert.ok(check.ok);
    assert.equal(check.host, host);
  });
}

for (const url of [
  "file:///etc/passwd",
  "gopher://x/",
  "data:text/plain,x",
  "javascript:1",
  "ftp://x/",
  "x",
  "",
  "http://",
  "http://metadata.google.internal/",
  "http://METADATA/",
  "http://metadata.google.internal./",
]) {
  test(`${JSON.stringify(url)} is refused before any look-up`, () => {
    assert.equal(checkUrl(url).ok, false);
  });
}

test("a range holds its own addresses only", () => {
  assert.ok(inRange("198.19.255.255", "198.18.0.0/15"));
  assert.ok(!inRange("198.20.0.0", "198.18.0.0/15"));
  assert.ok(!inRange("198.18.0.1", "nonsense"));
  assert.ok(!inRange("198.18.0.1", "198.18.0.0/99"));
  assert.ok(!inRange("198.18.0.1", "::/0"));
});
