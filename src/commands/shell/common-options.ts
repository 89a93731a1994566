import { flag, option, required } from "./usage";

export const json = flag("print the result as JSON");
export const jsonReport = flag("print the report as JSON, progress as JSON lines");
export const blog = required("SLUG", "slug of the blog");
export const onlyBlog = option("SLUG", "only this blog [all blogs]");
export const email = required("E", "e-mail address of the account");
export const yes = flag("confirm [only print what would be lost]");
export const passwordStdin = flag("read the password from standard input [no password]");
