import { stylesheet } from "../http/responses/assets";
import { type Html, html } from "../text/html";
import look from "./look.css" with { type: "text" };
import css from "./owner.css" with { type: "text" };

export const ownerStyles = stylesheet("owner", look + css);

/** The frame of sign-in, setup and consent pages. */
export function ownerLayout(page: { title: string; main: Html; head?: Html | null }): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex,nofollow">
<title>${page.title}</title>
<link rel="stylesheet" href="${ownerStyles.path}">
${page.head}
</head>
<body>
<main>
${page.main}
</main>
</body>
</html>
`;
}
