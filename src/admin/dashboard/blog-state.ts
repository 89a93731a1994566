import { diskBytes, freeBytes } from "../../disk-space";
import { type Html, html } from "../../html";
import { blogKomments, countKomments } from "../../komments/komments-in-order";
import { mediaTotalsOf } from "../../media/files/media-totals";
import { counted } from "../../number-words";
import { excerpt } from "../../posts/content/excerpt";
import { listWebhooks } from "../../webhooks/webhook-urls";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { byteWords } from "../words/byte-words";
import { timesFor } from "../words/times";

/** Komments of each kind that are shown. */
const SHOWN = 3;
/** Of a komment, in characters. */
const LONGEST_WORDS = 140;

/** What waits for the owner, whether those who are told of changes can be reached, and how full the disk is. */
export function blogState(visit: BlogVisit): Html {
  const { blog, call } = visit;
  const { files, bytes } = mediaTotalsOf(call.platen, blog);
  const { data } = call.platen.config;
  return html`<section><h2>Komments</h2>
${komments(visit)}
</section>
<div class="beside">
<section><h2>Webhooks</h2>
${webhooks(visit)}
</section>
<section><h2>Disk</h2>
<p><a href="${blogPath(blog, "/media")}">${counted(files, "file")}</a>, ${byteWords(bytes)} in all. ${byteWords(freeBytes(data))} of ${byteWords(diskBytes(data))} are free on the disk.</p>
</section>
</div>`;
}

function komments({ call: { platen }, blog }: BlogVisit): Html {
  const path = blogPath(blog, "/komments");
  const rows = blogKomments(platen, blog, { status: "waiting", page: 1, limit: SHOWN });
  if (rows.length === 0) return html`<p>None waits. <a href="${path}?status=all">All komments</a></p>`;
  const times = timesFor(blog, platen.now());
  const all = countKomments(platen, blog, "waiting");
  return html`<p><a href="${path}">${counted(all, "komment waits", "komments wait")}</a></p>
<ul class="rows">
${rows.map(
  ({
    komment: { id, name, source, createdAt },
  }) => html`<li><div class="what"><a class="name" href="${path}/${id}"><bdi>${name}</bdi></a>
<p class="about"><span>${times.near(createdAt)}</span><span dir="auto">${excerpt(source, LONGEST_WORDS)}</span></p></div></li>
`,
)}
</ul>`;
}

function webhooks({ call: { platen }, blog }: BlogVisit): Html {
  const all = listWebhooks(platen, blog);
  const path = blogPath(blog, "/webhooks");
  if (all.length === 0) return html`<p>None: nobody is told of changes. <a href="${path}">Add one</a></p>`;
  const off = all.filter(({ disabledAt }) => disabledAt !== null).length;
  const paused = all.filter(({ disabledAt, pausedAt }) => !disabledAt && pausedAt).length;
  const failing = all.filter(
    ({ disabledAt, pausedAt, failingSince }) => !disabledAt && !pausedAt && failingSince,
  ).length;
  const said = [
    [all.length - off - paused - failing, "well"],
    [failing, "failing"],
    [paused, "paused"],
    [off, "turned off"],
  ] as const;
  const words = said.filter(([number]) => number > 0).map(([number, state]) => `${number} ${state}`);
  return html`<p${failing + off > 0 && html` class="asks"`}><a href="${path}">${counted(all.length, "URL")}</a>: ${words.join(", ")}.</p>`;
}
