import { type Blog, listBlogs, postUrl } from "../blogs/blogs";
import { inTransaction } from "../database/transactions";
import { setBlocked } from "../komments/blocked-words-and-hosts";
import { KOMMENT_STATUSES, type ListedKomment, listKomments } from "../komments/komment-list";
import { deleteKomment, refuseKomment, showKomment } from "../komments/moderation";
import { answerKomment } from "../komments/writing-and-importing-komments";
import { deleteMessage, listMessages } from "../messages";
import type { Platen } from "../platen";
import { plainText } from "../posts/content/plain-text-and-excerpts";
import { findScope, folderCommand, listCommand, requireBlog } from "./shell/command";
import { oneLine, toRow } from "./shell/terminal";
import { blog, choiceOf, idOf, json, onlyBlog, option, parsed, repeatable } from "./shell/usage";

export const kommentList = listCommand(
  {
    help: "list komments, newest first",
    options: {
      blog: onlyBlog,
      status: parsed(
        "STATUS",
        `only komments that are ${KOMMENT_STATUSES.join(", ")} [all]`,
        choiceOf(KOMMENT_STATUSES),
      ),
    },
  },
  ["id", "status", "created_at", "name", "address", "text", "post", "origin"],
  (platen, { values }) => {
    const blog = findScope(platen, values.blog);
    const blogs = blogsById(platen);
    return listKomments(platen, { blog, status: values.status }).map((komment) =>
      kommentRow(platen, komment, blogs.get(komment.post.blogId) as Blog, values.json),
    );
  },
);

const blogsById = (platen: Platen) => new Map(listBlogs(platen).map((blog) => [blog.id, blog]));

function kommentRow(platen: Platen, komment: ListedKomment, blog: Blog, withFullText: boolean) {
  const text = komment.origin === "" ? komment.source : plainText(komment.html);
  return {
    id: komment.id,
    blog: blog.slug,
    post: postUrl(platen, blog, komment.post),
    ...toRow(komment, ["status", "name", "address"]),
    text: withFullText ? text : oneLine(text),
    ...toRow(komment, ["createdAt", "editedAt", "answer"]),
    ...(komment.origin !== "" && toRow(komment, ["origin", "originUrl", "authorHandle"])),
  };
}

const idCommand = (
  thing: "komment" | "message",
  help: string,
  work: (platen: Platen, id: number) => void,
  outcome: string,
) =>
  folderCommand({ help, operands: [idOf(thing)] }, (platen, { operands: [id] }) => {
    work(platen, id);
    return `${outcome} ${thing} ${id}.`;
  });

export const kommentApprove = idCommand("komment", "approve a komment", showKomment, "Approved");
export const kommentReject = idCommand("komment", "reject a komment", refuseKomment, "Rejected");
export const kommentDelete = idCommand("komment", "delete a komment permanently", deleteKomment, "Deleted");
export const messageDelete = idCommand("message", "delete a message permanently", deleteMessage, "Deleted");

export const kommentReply = folderCommand(
  {
    help: "reply to a komment in Markdown, and approve it",
    operands: [idOf("komment")],
    options: { text: option("TEXT", 'the reply; "" deletes the reply [standard input]') },
  },
  async (platen, { values, operands: [id] }) => {
    const text = values.text ?? (await Bun.stdin.text());
    await answerKomment(platen, { id }, text);
    return `${text.trim() === "" ? "Deleted" : "Saved"} the reply to komment ${id}.`;
  },
);

export const kommentBlocked = folderCommand(
  {
    help: "list or change blocked e-mail addresses and words",
    options: {
      blog,
      add: repeatable("LINE", "e-mail address or words to block"),
      remove: repeatable("LINE", "e-mail address or words to unblock"),
      json,
    },
  },
  (platen, { values }) => {
    if (values.add.length + values.remove.length > 0)
      inTransaction(platen, () => {
        const blog = requireBlog(platen, values.blog);
        const removed = values.remove.map(normalizeLine);
        const remaining = linesOf(blog.blocked).filter((line) => !removed.includes(normalizeLine(line)));
        setBlocked(platen, blog, [...remaining, ...values.add].join("\n"));
      });
    const lines = linesOf(requireBlog(platen, values.blog).blocked);
    if (values.json) return JSON.stringify(lines, null, 2);
    return lines.length > 0 ? lines.join("\n") : undefined;
  },
);

function linesOf(list: string): string[] {
  return list.split("\n").filter((line) => line !== "");
}

function normalizeLine(line: string): string {
  return line.trim().replace(/\s+/g, " ").toLowerCase();
}

export const messageList = listCommand(
  { help: "list messages and private replies, newest first", options: { blog: onlyBlog } },
  ["id", "created_at", "name", "address", "text", "blog"],
  (platen, { values }) => {
    const blogs = blogsById(platen);
    const blog = findScope(platen, values.blog);
    return listMessages(platen, blog).map((message) => {
      const blog = blogs.get(message.blogId) as Blog;
      return {
        id: message.id,
        blog: blog.slug,
        post: message.slug === null ? null : postUrl(platen, blog, { slug: message.slug }),
        ...toRow(message, ["name", "address", "createdAt"]),
        text: values.json ? message.text : oneLine(message.text),
        ...(message.origin !== "" && { origin: message.origin }),
      };
    });
  },
);
