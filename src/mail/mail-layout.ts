import { type Html, html } from "../text/html";

export interface MailContent {
  language?: string;
  subject: string;
  lines: string[];
  quotes?: { title: string; text: string; url?: string }[];
  button?: { label: string; url: string };
  footer: string;
  settings?: { label: string; url: string };
}

export function renderMail(content: MailContent): { subject: string; text: string; html: string } {
  return { subject: content.subject, text: plainPart(content), html: String(htmlPart(content)) };
}

function plainPart({ lines, quotes = [], button, footer, settings }: MailContent): string {
  const quoted = quotes.map(
    ({ title, text, url }) => `${title}\n${text.replace(/^/gm, "> ")}${url ? `\n${url}` : ""}`,
  );
  return [
    ...lines,
    ...quoted,
    button && `${button.label}:\n${button.url}`,
    `-- \n${footer}${settings ? `\n${settings.label}: ${settings.url}` : ""}`,
  ]
    .filter(Boolean)
    .join("\n\n")
    .concat("\n");
}

const FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

function htmlPart({
  language = "en",
  subject,
  lines,
  quotes = [],
  button,
  footer,
  settings,
}: MailContent): Html {
  return html`<!doctype html>
<html lang="${language}" dir="auto"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${subject}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #17181a !important; color: #e8e6e3 !important; }
  .quote { border-color: #4a4d52 !important; }
  .about, .about a { color: #a5a8ad !important; }
  .button { background: #e8e6e3 !important; color: #17181a !important; }
}
</style></head>
<body class="page" style="margin:0;padding:0;background:#ffffff;color:#1d1f21">
<div class="page" style="${FONT};font-size:16px;line-height:1.5;max-width:560px;margin:0 auto;padding:32px 20px;background:#ffffff;color:#1d1f21">
<h1 style="font-size:22px;line-height:1.3;margin:0 0 16px">${subject}</h1>
${lines.map((line) => html`<p style="margin:0 0 16px;overflow-wrap:anywhere">${line}</p>\n`)}
${quotes.map(
  ({
    title,
    text,
    url,
  }) => html`<p style="margin:0 0 4px;font-weight:600;overflow-wrap:anywhere">${url ? html`<a href="${url}" style="color:inherit">${title}</a>` : title}</p>
<blockquote class="quote" style="margin:0 0 20px;padding:0 0 0 14px;border-left:3px solid #d4d6d9;white-space:pre-line;overflow-wrap:anywhere">${text}</blockquote>\n`,
)}
${button && html`<p style="margin:24px 0"><a class="button" href="${button.url}" style="display:inline-block;padding:11px 20px;border-radius:8px;background:#1d1f21;color:#ffffff;text-decoration:none;font-weight:600">${button.label}</a></p>`}
<p class="about" style="margin:32px 0 0;font-size:14px;color:#63666b">${footer}${settings && html` <a href="${settings.url}" style="color:#63666b">${settings.label}</a>`}</p>
</div></body></html>`;
}
