import { html } from "../../text/html";

/** A line of `_redirects`, which Netlify, Cloudflare Pages and others read. @param file what is there for those that do not */
export function redirectLine(file: string, to: string): string {
  const [from = "", present = ""] = [file, to].map((path) =>
    `/${path.split("/").map(encodeURIComponent).join("/")}`.replace(/\/index\.html$/, "/"),
  );
  return `${from.replace(/\/$/, "")} ${present} 301`;
}

/** For those that do not. @param link as it is in the file @param address the whole of it */
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
