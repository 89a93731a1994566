import { html } from "../../text/html";

/** A line of `_redirects` (Netlify, Cloudflare Pages and others). @param file the redirect page */
export function redirectLine(file: string, to: string): string {
  const [from = "", present = ""] = [file, to].map((path) =>
    `/${path.split("/").map(encodeURIComponent).join("/")}`.replace(/\/index\.html$/, "/"),
  );
  return `${from.replace(/\/$/, "")} ${present} 301`;
}

/** A page that redirects, for other hosts. @param link relative @param address absolute */
export function redirectPage(link: string, address: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moved</title>
<link rel="canonical" href="${address}">
<meta http-equiv="refresh" content="0; url=${link}">
</head>
<body><p>This page is <a href="${link}">here</a> now.</p></body>
</html>
`.markup;
}
