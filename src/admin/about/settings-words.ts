import type { Config } from "../../config/config";
import { durationText } from "../../config/durations";
import { byteWords } from "../words/byte-words";

/** Every setting with its value; secrets only show whether they are set. */
export function settingsWords(config: Config, environment: Record<string, string | undefined>) {
  const { backup } = config;
  const none = "–";
  const secret = (...names: string[]) => (names.some((name) => environment[name]) ? "set (hidden)" : none);
  const rows: [name: string, value: string][] = [
    ["PLATEN_DATA", config.data],
    ["PLATEN_HOST", config.host],
    ["PLATEN_PORT", String(config.port)],
    ["PLATEN_URL", config.url],
    ["PLATEN_TRUST_PROXY", config.trustProxy.join(", ") || "loopback only"],
    ["PLATEN_FORWARDED_HOST", config.forwardedHost ? "on" : "off"],
    ["PLATEN_PRIVATE_HOSTS", config.privateHosts.join(", ") || none],
    ["PLATEN_WEBHOOK_RETRY", config.webhookRetry.map(durationText).join(", ")],
    ["PLATEN_WEBHOOK_TIMEOUT", durationText(config.webhookTimeout)],
    ["PLATEN_MEMORY", byteWords(config.memory)],
    ["PLATEN_MEDIA_SIZES", config.keptSizes === null ? "a quarter of the disk" : byteWords(config.keptSizes)],
    ["PLATEN_BACKUP", backup?.to ?? none],
    ["PLATEN_BACKUP_EVERY", backup ? durationText(backup.every) : none],
    ["PLATEN_BACKUP_KEEP", backup?.keep ?? none],
    ["PLATEN_LOG", config.log],
    ["PLATEN_METRICS_TOKEN", secret("PLATEN_METRICS_TOKEN")],
    ["PLATEN_PURGE_URL", config.purge?.url.replace(/\?.*/s, "?…") ?? none],
    ["PLATEN_PURGE_HEADER", secret("PLATEN_PURGE_HEADER")],
    ["AWS_ACCESS_KEY_ID", secret("AWS_ACCESS_KEY_ID", "S3_ACCESS_KEY_ID")],
    ["AWS_SECRET_ACCESS_KEY", secret("AWS_SECRET_ACCESS_KEY", "S3_SECRET_ACCESS_KEY")],
  ];
  return rows;
}
