import { malformed, type Refusal } from "../../errors";
import { jsonAnswer, type TextAnswer } from "../../http/answers/answer";
import { refusalHeaders, STATUS } from "../../http/answers/error-answers";
import { send } from "../../http/answers/sending";
import { door } from "../../http/doors/door";
import { readMultipart } from "../../http/requests/multipart";
import { makeThumbnailLater } from "../../media/images/renditions";
import { discardUpload, type ReceivedFile, receiveUpload, storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { type BlogVisit, blogVisit } from "../layout/visit";
import { demandOurs } from "./form/sent-post";
import { filesIn, shownFile } from "./form/shown-files";

/** Where the editor sends files to, one each time, and asks what it does not know of one that is there. */
export const uploads = (platen: Platen) =>
  door(platen, "admin uploads", refusalAnswer)
    .get("/admin/blogs/:slug/uploads", ({ call, params }) => {
      const { blog } = blogVisit(call, params.slug);
      const files = filesIn(platen, blog, call.url.searchParams.getAll("sgid").join(" "));
      return send(call, jsonAnswer(200, { files: files.map((blob) => shownFile(platen, blob)) }));
    })
    .post(
      "/admin/blogs/:slug/uploads",
      async ({ call, params }) => send(call, await upload(blogVisit(call, params.slug))),
      { parse: "none" },
    );

async function upload({ call, blog }: BlogVisit): Promise<TextAnswer> {
  const { platen, request } = call;
  const { files, fields } = await readMultipart<ReceivedFile>(
    request,
    (_field, filename, stream, _type, fields) => {
      demandOurs(call, fields);
      return receiveUpload(platen, stream, filename);
    },
    discardUpload,
  );
  const [first, ...others] = files.map(({ value }) => value);
  for (const other of others) await discardUpload(other);
  demandOurs(call, fields);
  if (!first) throw malformed("The field file is missing.", { file: ["is missing"] });
  const blob = await storeUpload(platen, blog, first);
  makeThumbnailLater(platen, blob);
  return jsonAnswer(201, { file: shownFile(platen, blob) });
}

/** What is wrong with the file, in a sentence that goes on where its name ends. */
function refusalAnswer(refusal: Refusal): TextAnswer {
  const { kind, fields } = refusal;
  const message = fields?.file ? `${fields.file.join("; ")}.` : refusal.message;
  return jsonAnswer(STATUS[kind], { message }, refusalHeaders(refusal));
}
