/** Parts of the browser that would ask servers of its maker, or get in the way of a page that a program drives. */
const FEATURES_OFF = [
  "AimEnabled",
  "AutofillServerCommunication",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "CertificateTransparencyComponentUpdater",
  "DestroyProfileOnBrowserClose",
  "DialMediaRouteProvider",
  "GlobalMediaControls",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "InterestFeedContentSuggestions",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "SegmentationPlatform",
  "Translate",
] as const;

/** What every start has. */
const QUIET = [
  "--headless",
  "--hide-scrollbars",
  "--mute-audio",
  "--no-startup-window",
  "--no-first-run",
  "--no-default-browser-check",
  "--no-service-autorun",
  "--password-store=basic",
  "--use-mock-keychain",
  "--disable-field-trial-config",
  "--disable-background-networking",
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-back-forward-cache",
  "--disable-breakpad",
  "--disable-client-side-phishing-detection",
  "--disable-component-extensions-with-background-pages",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-dev-shm-usage",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-hang-monitor",
  "--disable-infobars",
  "--disable-ipc-flooding-protection",
  "--disable-popup-blocking",
  "--disable-prompt-on-repost",
  "--disable-renderer-backgrounding",
  "--disable-search-engine-choice-screen",
  "--disable-sync",
  "--disable-updater-scheduler",
  "--allow-pre-commit-input",
  "--enable-unsafe-swiftshader",
  "--force-color-profile=srgb",
  "--metrics-recording-only",
  "--no-pings",
] as const;

export interface FlagPlace {
  readonly profile: string;
  /** Proxy of what belongs to no conversation; it lets nothing out. */
  readonly proxy: string;
  readonly sandbox: boolean;
}

/** The words behind the program. Nothing reaches the network but through the proxies: names are not even resolved by the browser. */
export function browserFlags({ profile, proxy, sandbox }: FlagPlace): readonly string[] {
  return [
    ...QUIET,
    `--disable-features=${FEATURES_OFF.join(",")}`,
    "--enable-features=CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies",
    `--proxy-server=${proxy}`,
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    ...(sandbox ? [] : ["--no-sandbox"]),
    `--user-data-dir=${profile}`,
    "--remote-debugging-pipe",
  ];
}
