import type { ProfilesApi } from "../../contracts/config/profiles.js";
import type { VoiceApi } from "../../contracts/media/voice.js";
import type { AuthApi } from "../../contracts/models/auth.js";
import type { ModelsApi } from "../../contracts/models/models-api.js";
import type { CheckpointApi } from "../../contracts/owner/checkpoints.js";
import type { DashboardApi } from "../../contracts/owner/dashboard.js";
import type { LanguageServersApi } from "../../contracts/owner/language-servers.js";
import type { OwnerApi } from "../../contracts/owner/owner.js";
import type { ProxyApi } from "../../contracts/owner/proxy.js";
import type { RuntimeSwitch } from "../../contracts/runtimes/switch.js";

/** The owner about itself, loaded with the first call. */
export function lazyOwner(owner: () => Promise<OwnerApi>): OwnerApi {
  return {
    status: async (...given) => (await owner()).status(...given),
    underWay: async (...given) => (await owner()).underWay(...given),
    stopWorkers: async (...given) => (await owner()).stopWorkers(...given),
    doctor: async (...given) => (await owner()).doctor(...given),
    dispatchUntil: async (...given) => (await owner()).dispatchUntil(...given),
    protocol: async (...given) => (await owner()).protocol(...given),
    stop: async (...given) => (await owner()).stop(...given),
  };
}

/** Logins and keys, loaded with the first call. */
export function lazyAuth(auth: () => Promise<AuthApi>): AuthApi {
  return {
    ways: async (...given) => (await auth()).ways(...given),
    list: async (...given) => (await auth()).list(...given),
    status: async (...given) => (await auth()).status(...given),
    addKey: async (...given) => (await auth()).addKey(...given),
    login: async (...given) => (await auth()).login(...given),
    remove: async (...given) => (await auth()).remove(...given),
    reset: async (...given) => (await auth()).reset(...given),
    refresh: async (...given) => (await auth()).refresh(...given),
    logout: async (...given) => (await auth()).logout(...given),
  };
}

/** Profiles, loaded with the first call. */
export function lazyProfiles(profiles: () => Promise<ProfilesApi>): ProfilesApi {
  return {
    list: async (...given) => (await profiles()).list(...given),
    show: async (...given) => (await profiles()).show(...given),
    create: async (...given) => (await profiles()).create(...given),
    setDescription: async (...given) => (await profiles()).setDescription(...given),
    generateDescription: async (...given) => (await profiles()).generateDescription(...given),
  };
}

/** The chain of models, loaded with the first call. */
export function lazyModels(models: () => Promise<ModelsApi>): ModelsApi {
  return {
    chain: async (...given) => (await models()).chain(...given),
    addFallback: async (...given) => (await models()).addFallback(...given),
    removeFallback: async (...given) => (await models()).removeFallback(...given),
    moveFallback: async (...given) => (await models()).moveFallback(...given),
    clearFallback: async (...given) => (await models()).clearFallback(...given),
    offered: async (...given) => (await models()).offered(...given),
    resolve: async (...given) => (await models()).resolve(...given),
    check: async (...given) => (await models()).check(...given),
    setDefault: async (...given) => (await models()).setDefault(...given),
  };
}

/** Checkpoints, loaded with the first call. */
export function lazyCheckpoints(checkpoints: () => Promise<CheckpointApi>): CheckpointApi {
  return {
    status: async (...given) => (await checkpoints()).status(...given),
    list: async (...given) => (await checkpoints()).list(...given),
    find: async (...given) => (await checkpoints()).find(...given),
    show: async (...given) => (await checkpoints()).show(...given),
    diff: async (...given) => (await checkpoints()).diff(...given),
    restore: async (...given) => (await checkpoints()).restore(...given),
    make: async (...given) => (await checkpoints()).make(...given),
    prune: async (...given) => (await checkpoints()).prune(...given),
    clear: async (...given) => (await checkpoints()).clear(...given),
    clearLegacy: async (...given) => (await checkpoints()).clearLegacy(...given),
    directoryOf: async (...given) => (await checkpoints()).directoryOf(...given),
  };
}

/** Language servers, loaded with the first call. */
export function lazyLanguageServers(servers: () => Promise<LanguageServersApi>): LanguageServersApi {
  return {
    status: async (...given) => (await servers()).status(...given),
    which: async (...given) => (await servers()).which(...given),
    install: async (...given) => (await servers()).install(...given),
    restart: async (...given) => (await servers()).restart(...given),
  };
}

/** The switch of runtimes, loaded with the first call. */
export function lazyRuntimes(runtimes: () => Promise<RuntimeSwitch>): RuntimeSwitch {
  return {
    state: async (...given) => (await runtimes()).state(...given),
    enable: async (...given) => (await runtimes()).enable(...given),
    disable: async (...given) => (await runtimes()).disable(...given),
    outdated: async (...given) => (await runtimes()).outdated(...given),
  };
}

/** Spoken messages and answers, loaded with the first call. */
export function lazyVoice(voice: () => Promise<VoiceApi>): VoiceApi {
  return {
    parts: async (...given) => (await voice()).parts(...given),
    transcribe: async (...given) => (await voice()).transcribe(...given),
    speak: async (...given) => (await voice()).speak(...given),
    chatMode: async (...given) => (await voice()).chatMode(...given),
    setChatMode: async (...given) => (await voice()).setChatMode(...given),
  };
}

/** Dashboards, loaded with the first call. */
export function lazyDashboard(dashboards: () => Promise<DashboardApi>): DashboardApi {
  return {
    open: async (...given) => (await dashboards()).open(...given),
    list: async (...given) => (await dashboards()).list(...given),
    close: async (...given) => (await dashboards()).close(...given),
    failure: async (...given) => (await dashboards()).failure(...given),
    setPassword: async (...given) => (await dashboards()).setPassword(...given),
    browse: async (...given) => (await dashboards()).browse(...given),
  };
}

/** The local proxy, loaded with the first call. */
export function lazyProxy(proxy: () => Promise<ProxyApi>): ProxyApi {
  return {
    start: async (...given) => (await proxy()).start(...given),
    status: async (...given) => (await proxy()).status(...given),
    providers: async (...given) => (await proxy()).providers(...given),
    stop: async (...given) => (await proxy()).stop(...given),
  };
}
