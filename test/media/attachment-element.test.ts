import { expect, test } from "bun:test";
import { attachmentSnippet, blobIdInSgid, sgidOf } from "../../src/media/attachment-element";
import { startPlaten } from "../support/platen";
import { picture, upload } from "./samples";

test("the snippet has four escaped attributes", async () => {
  const { platen } = startPlaten();
  const blob = await upload(platen, await picture.jpeg(), `"a" & <b>.jpg`, { caption: `"><script>` });
  expect(attachmentSnippet(platen, blob)).toBe(
    `<action-text-attachment sgid="${sgidOf(platen, blob)}" content-type="image/jpeg" filename="&quot;a&quot; &amp; &lt;b&gt;.jpg" caption="&quot;&gt;&lt;script&gt;"></action-text-attachment>`,
  );
});

test("a signed id is valid in its own blog only", () => {
  const { platen } = startPlaten();
  const sgid = sgidOf(platen, { id: 12, blogId: 3 });
  expect(blobIdInSgid(platen, 3, sgid)).toBe(12);
  expect(blobIdInSgid(platen, 4, sgid)).toBeNull();
  expect(blobIdInSgid(startPlaten().platen, 3, sgid)).toBeNull();
});

test("a forged, changed or malformed id is invalid", () => {
  const { platen } = startPlaten();
  const sgid = sgidOf(platen, { id: 12, blogId: 3 });
  const [, signature] = sgid.split(".");
  const other = Buffer.from("13.3").toString("base64url");
  for (const forged of [
    `${other}.${signature}`,
    sgid.slice(0, -2),
    `${sgid.split(".")[0]}.`,
    "",
    ".",
    "x",
    "💥.💥",
    "12",
  ])
    expect(blobIdInSgid(platen, 3, forged)).toBeNull();
});
