import { hashPassword, setPassword } from "../../src/accounts/passwords";
import { setupToken } from "../../src/admin/setup-token";
import { accounts, blogs } from "../../src/database/schema";
import { browserAt, formOf } from "./cookie-browser";
import { startPlaten, type TestPlaten } from "./platen";

/** Request of a page that needs more than a URL. */
export type PageRequest = () => Promise<Response>;

const PASSWORD = "a long enough one";
/** Apps on this machine are not fetched. */
const APP = new URLSearchParams({
  response_type: "code",
  client_id: "http://127.0.0.1:9/",
  redirect_uri: "http://127.0.0.1:9/callback",
  state: "1",
  code_challenge: "c".repeat(43),
  code_challenge_method: "S256",
  scope: "create update media profile",
});
const ASKED = `/auth?${APP}`;

/** Pages that look the same in all themes. */
export async function plainPages(at: TestPlaten): Promise<Record<string, PageRequest>> {
  return { docs: () => at.fetch("/api/docs"), ...(await ownersPages(at)), ...setupPages(), ...faultPages() };
}

async function ownersPages(at: TestPlaten): Promise<Record<string, PageRequest>> {
  setPassword(at.platen, at.account, await hashPassword(PASSWORD));
  const { url } = at.platen.config;
  at.newBlog({ title: "A second one", slug: "with-an-address-that-is-wider-than-a-telephone" });
  const owner = browserAt(url, (path, init) => at.fetch(url + path, init));
  const signIn = (password: string) => owner.post("/auth/sign-in", { email: at.account.email, password });
  const refused = await signIn("another one");
  await signIn(PASSWORD);
  return {
    signIn: () => at.fetch(`${url}/auth/sign-in?${new URLSearchParams({ next: ASKED })}`),
    signInRefused: async () => refused.clone(),
    consent: () => owner.get(ASKED),
    dashboard: () => owner.get("/admin/blogs/ada"),
    dashboardEmpty: () => owner.get("/admin/blogs/with-an-address-that-is-wider-than-a-telephone"),
    dashboardMissing: () => owner.get("/admin/nothing"),
    consentRefused: () => owner.get("/auth?client_id=nobody"),
  };
}

function setupPages(): Record<string, PageRequest> {
  const unowned = startWithoutAccount();
  const send = ({ platen, fetch }: TestPlaten, fields: Record<string, string>) =>
    fetch("/setup", { method: "POST", body: formOf({ token: setupToken(platen) ?? "", ...fields }) });
  const answers = { email: "eve@example.com", name: "Eve", password: PASSWORD, title: "Logbook" };
  return {
    notSetUp: () => unowned.fetch("/"),
    noBlog: () => unowned.fetch("/anything"),
    setup: () => unowned.fetch(`/setup?token=${setupToken(unowned.platen)}`),
    setupFaulty: () => send(unowned, { ...answers, email: "eve", password: "short", title: "" }),
    setupRefused: () => unowned.fetch("/setup?token=none"),
    setUp: () => send(startWithoutAccount(), answers),
  };
}

function startWithoutAccount(): TestPlaten {
  const at = startPlaten();
  for (const table of [blogs, accounts]) at.platen.db.delete(table).run();
  return at;
}

function faultPages(): Record<string, PageRequest> {
  const at = startPlaten();
  at.platen.db.$client.run("ALTER TABLE posts RENAME TO gone");
  return {
    fault: () => at.fetch("/hello"),
    readOnly: () => at.fetch("/hello", { method: "POST" }),
    foreignForm: () => at.fetch("/komments/hello", { method: "POST", headers: { origin: "http://a.test" } }),
  };
}
