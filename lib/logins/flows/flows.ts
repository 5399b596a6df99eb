import type { Descriptor, FlowName } from "../core/descriptors.js";
import { deviceCode } from "./device-code.js";
import { devicePkce } from "./device-pkce.js";
import type { Flow } from "./flow.js";
import { loopbackPkce } from "./loopback-pkce.js";
import { vendorDevice } from "./vendor-device.js";

/** The logins that this version can make. */
const FLOWS: Readonly<Partial<Record<FlowName, Flow>>> = {
  device_code: deviceCode,
  device_pkce: devicePkce,
  loopback_pkce: loopbackPkce,
  vendor_device: vendorDevice,
};

/** How one logs in to the provider; undefined: with keys only, or not yet. */
export const flowOf = ({ flow }: Descriptor): Flow | undefined => (flow === undefined ? undefined : FLOWS[flow]);
