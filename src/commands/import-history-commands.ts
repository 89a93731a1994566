import { listBlogs } from "../blogs/blogs";
import { counted } from "../text/numbers";
import { countRecords, findImport, listImports } from "../transfer/import/run/import-records";
import { countChangedPosts, undoImport, undoSummary } from "../transfer/import/run/undo-import";
import { folderCommand, parsedCommand } from "./shell/command";
import { unconfirmed } from "./shell/command-errors";
import { json, jsonReport, onlyBlog, yes } from "./shell/common-options";
import { parseId, requireBlog } from "./shell/lookups";
import { createProgressPrinter, print, printList } from "./shell/printing";

const COLUMNS = ["id", "blog", "format", "source", "posts", "files", "started_at", "finished_at"];

export const importList = folderCommand(
  { help: "list imports, newest first", options: { blog: onlyBlog, json } },
  async (platen, { values }) => {
    const blog = values.blog === undefined ? undefined : requireBlog(platen, values.blog);
    const slugs = new Map(listBlogs(platen).map(({ id, slug }) => [id, slug]));
    const rows = listImports(platen, blog).map(({ id, blogId, format, source, startedAt, finishedAt }) => ({
      id,
      blog: slugs.get(blogId) ?? "",
      format,
      source,
      posts: countRecords(platen, id, "post"),
      files: countRecords(platen, id, "file"),
      started_at: startedAt,
      finished_at: finishedAt,
    }));
    await printList(rows, COLUMNS, values.json);
  },
);

export const importUndo = parsedCommand(
  {
    help: "undo an import: delete all that it created",
    operands: ["ID"],
    options: { yes, json: jsonReport },
  },
  ({ operands: [text] }) => parseId(text, "import"),
  async (platen, { values }, id) => {
    const run = findImport(platen, id);
    if (!values.yes) {
      const made = `${counted(countRecords(platen, id, "post"), "post")} and ${counted(countRecords(platen, id, "file"), "file")}`;
      const changed = countChangedPosts(platen, run);
      const since = changed > 0 ? `, ${changed} of the posts changed since,` : "";
      const effect = `This would permanently delete what import ${id} created: ${made}${since} with all komments on them`;
      throw unconfirmed(effect, `platen import undo ${id}`, values.data);
    }
    const printProgress = createProgressPrinter();
    const onStep = (undone: number, of: number) => printProgress({ undone, of }, undone >= of);
    const undone = await undoImport(platen, run, values.json ? onStep : undefined);
    await print(values.json ? JSON.stringify(undone) : `Undone: ${undoSummary(undone)}.`);
  },
);
